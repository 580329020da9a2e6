package herd

import (
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// Extension is what another store adds to a server: another way to execute requests, and memory of
// the server's device that clients reach.
type Extension interface {
	// Begin makes the memory, before there are workers and clients. It changes the facts to those
	// of the store.
	Begin(d verbs.Device, facts *kvs.Facts) error
	// Engine returns what executes a worker's requests.
	Engine(worker int, core *partition.Core) Engine
	// Admit answers what a client asks that has slots. leave ends what Admit has begun. It may be
	// called even if Admit fails; nil: nothing has begun.
	Admit(question []byte) (answer any, leave func() error, err error)
	// Close frees the memory. The clients have left, and the workers have ended.
	Close() error
}

// Engine executes a worker's requests as [partition.Core] does, on the worker's thread.
type Engine interface {
	Execute(ops []partition.Op, out []byte) []byte
	Stats() partition.Stats
}

// SessionExtension is the client's side of an [Extension] in one session.
type SessionExtension interface {
	// Ask returns what one more connection asks. Granted takes the server's answer.
	Ask() (any, error)
	Granted(answer []byte) error
	// Collect appends answers that have come in another way. A session calls it at each turn of
	// Poll, when the caller holds no answers. So it may submit requests.
	Collect(answers []kvs.Answer) ([]kvs.Answer, error)
}
