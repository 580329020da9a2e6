package kvs

import (
	"fmt"
	"time"
)

// These limits hold for every store here. A key has at least one byte.
const (
	MaxKeyBytes   = 255
	MaxValueBytes = 1<<16 - 1
)

// Op is the operation that a request asks for. Its numbers are those of the wire.
type Op uint8

// These are the operations. Set stores a value whether the key exists or not; Add stores it only if
// the key does not exist.
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

var opNames = [...]string{Get: "GET", Set: "SET", Add: "ADD", Delete: "DELETE"}

func (o Op) String() string {
	if o.Valid() {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// Status is the outcome of one operation. Its numbers are those of the wire.
type Status uint8

// These are the outcomes.
const (
	// OK: the operation succeeded. The answer to a Get holds the value.
	OK Status = iota
	// NotFound: the key of a Get or Delete does not exist.
	NotFound
	// Exists: the key of an Add exists already.
	Exists
	// Full: a store in store mode has no room left for this item.
	Full
	// TooLarge: the answer does not fit a frame. Ask for fewer or smaller values at once.
	TooLarge
	// WrongWorker: this worker does not serve this operation on this key.
	WrongWorker
	// Illegal: the operation does not exist, or the length of key or value is not allowed. Servers
	// refuse such a request before they execute it.
	Illegal
)

var statusNames = [...]string{
	OK: "ok", NotFound: "not found", Exists: "exists", Full: "full", TooLarge: "too large",
	WrongWorker: "wrong worker", Illegal: "illegal",
}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// Request is one operation that a client submits to a session.
type Request struct {
	Op  Op
	Key []byte
	// Value is the value that a Set or Add stores. Other operations ignore it.
	Value []byte
	// TTL is the time after which an item expires that a Set or Add stores, a multiple of
	// [Facts.TTLUnit]. 0: never. Other operations ignore it.
	TTL time.Duration
	// Hash is the key's hash, by the function that the server names in its [Facts]. It may be 0 if
	// the server names none, since such a server ignores it.
	Hash uint64
	// Cookie comes back unchanged with the answer.
	Cookie uint64
	// IntendedNs is the intended send time, on the monotonic clock.
	IntendedNs int64
}

// Answer is the outcome of one request.
type Answer struct {
	Op     Op
	Status Status
	// Value is the value of a Get with status OK. It is valid until the session's next call.
	Value  []byte
	Cookie uint64
	// All three are times on the monotonic clock, in nanoseconds.
	IntendedNs, SentNs, ReceivedNs int64
}
