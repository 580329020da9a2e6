package kvs

import "fmt"

// Limits of every store here. A key has at least one byte.
const (
	MaxKeyBytes   = 255
	MaxValueBytes = 1<<16 - 1
)

// Op is what a request asks for. Its numbers are those of the wire.
type Op uint8

// The operations. Set stores whatever was there before; Add only where nothing was.
const (
	Get Op = 1 + iota
	Set
	Add
	Delete
)

// Valid reports whether o is one of the operations.
func (o Op) Valid() bool { return o >= Get && o <= Delete }

// Writes reports whether o may change the store.
func (o Op) Writes() bool { return o != Get }

func (o Op) String() string {
	switch o {
	case Get:
		return "GET"
	case Set:
		return "SET"
	case Add:
		return "ADD"
	case Delete:
		return "DELETE"
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// Status is the outcome of one operation. Its numbers are those of the wire.
type Status uint8

// The outcomes.
const (
	// OK: done; a Get's answer holds the value.
	OK Status = iota
	// NotFound: a Get or Delete of a key that is not there.
	NotFound
	// Exists: an Add of a key that is there already.
	Exists
	// Full: a store that loses nothing has no room left for this item.
	Full
	// TooLarge: the answer does not fit a frame; ask for fewer or smaller values at once.
	TooLarge
	// WrongWorker: the worker asked does not serve this key for this operation.
	WrongWorker
	// Illegal: no such operation, or a key or value of a length that is not allowed. Servers
	// refuse such a request before it gets that far.
	Illegal
)

func (s Status) String() string {
	switch s {
	case OK:
		return "ok"
	case NotFound:
		return "not found"
	case Exists:
		return "exists"
	case Full:
		return "full"
	case TooLarge:
		return "too large"
	case WrongWorker:
		return "wrong worker"
	case Illegal:
		return "illegal"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Request is one operation on its way into a session.
type Request struct {
	Op  Op
	Key []byte
	// Value is what a Set or Add stores, else ignored.
	Value []byte
	// Hash of the key, by the function the server named in its [Facts]. A server that named none
	// has no use for it, and it may be 0.
	Hash uint64
	// Cookie comes back with the answer, untouched.
	Cookie uint64
	// IntendedNs is when this request was meant to leave, on the monotonic clock.
	IntendedNs int64
}

// Answer is what became of one request.
type Answer struct {
	Op     Op
	Status Status
	// Value of a Get that was OK. It lives until the session's next call.
	Value  []byte
	Cookie uint64
	// All three on the monotonic clock, in nanoseconds.
	IntendedNs, SentNs, ReceivedNs int64
}
