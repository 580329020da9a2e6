package kvs

import "time"

// Remote is a store's server as a load client sees it, once dialled. Its methods
// may be called from any goroutine.
type Remote interface {
	// Facts are those of the handshake.
	Facts() Facts
	// Stats asks the server what it has counted so far.
	Stats() (Stats, error)
	// Open makes the session of one load worker.
	Open(SessionOptions) (Session, error)
	// Moved is what the connections moved that are the remote's own and no session's: the one for
	// counters, and a device that the sessions share. It may be called until Close.
	Moved() Moved
	Close() error
}

// Observed is a [Remote] that hears of its own accord what befalls what it sends by: a port that
// goes down, a queue that overruns.
type Observed interface {
	// Events is what was heard since a time, at either end, in words for an error; empty: nothing.
	Events(since time.Time) string
	// Warnings are what was heard at this end that belongs beside a result. The server's are in
	// [Stats].
	Warnings(since time.Time) []string
}

// SessionOptions are the sizes of one session.
type SessionOptions struct {
	Batch       int // operations a batch
	Window      int // batches in flight a connection
	Connections int // connections to each server worker
}

// Session is one load worker's way into a store. It decides which of the
// server's workers answers a request, batches requests, sends and receives. A
// session belongs to one goroutine.
type Session interface {
	// Submit queues one request and sends the batch that it fills, by the next
	// Flush or Poll at the latest. It returns false, and has taken nothing, while the request's
	// destination has its whole window in flight and a full batch waiting.
	// The request's key and value are copied before Submit returns.
	Submit(r *Request) (bool, error)
	// Flush sends what is batched, full or not, as far as the window allows.
	Flush() error
	// Poll appends the answers that are in to answers. With none in, it
	// waits for at most wait (0: not at all). The answers' values live
	// until the next call on the session.
	Poll(answers []Answer, wait time.Duration) ([]Answer, error)
	// InFlight is the number of requests submitted and not answered yet.
	InFlight() int
	// Traffic is what the session has moved since it was opened.
	Traffic() Traffic
	// Moved is what the session's own sockets have moved since they were connected, by the kernel's
	// count. It costs system calls. It may be called from any goroutine until Close.
	Moved() Moved
	Close() error
}

// Traffic counts what one session moved.
type Traffic struct {
	Frames                   uint64 // batches sent
	Writes                   uint64 // system calls that they left in: of a transport that is a stream
	SentBytes, ReceivedBytes uint64 // payload of the transport, frame headers included
	// Of a transport that may lose: requests sent again because no answer came in
	// time, and answers to requests that had been answered before.
	Retries, Strays uint64
	// SpunNs is the time in Poll that went into looking for answers over and over, which takes
	// the CPU and does nothing: of a transport that is polled.
	SpunNs int64
}
