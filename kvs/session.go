package kvs

import "time"

// Remote is a store's server as a load client sees it, once connected. Any goroutine may call its
// methods.
type Remote interface {
	// Facts returns the facts from the handshake.
	Facts() Facts
	// Stats asks the server for its current counters.
	Stats() (Stats, error)
	// Open opens the session of one client thread.
	Open(SessionOptions) (Session, error)
	// Moved returns the traffic of the remote's own connections, without those of sessions: the
	// connection for counters, and a device that the sessions share. It may be called until Close.
	Moved() Moved
	Close() error
}

// Observed is a [Remote] that reports asynchronous device events: a port that goes down, a queue
// that overruns.
type Observed interface {
	// Events returns the events at either end since a time, as text for an error. It is empty if
	// there are none.
	Events(since time.Time) string
	// Warnings returns the events at this end that belong beside a result. The server's are in
	// [Stats].
	Warnings(since time.Time) []string
}

// SessionOptions are the sizes of one session.
type SessionOptions struct {
	Batch       int // operations per batch
	Window      int // batches in flight per connection
	Connections int // connections per server worker
	// KeepOrder has each key's requests executed and answered in the order in which Submit took
	// them. A key then keeps one connection: Submit returns false while that one has no room,
	// whatever room others have. Without it, only requests of one batch have an order.
	KeepOrder bool
	// KeyBytes and MaxValueBytes are the largest sizes of the requests to come. Open refuses sizes
	// that the server cannot take. 0: not known.
	KeyBytes, MaxValueBytes int
	// Wait is how Poll waits for answers, of a store that has the choice: [WaitSleep] or
	// [WaitPoll]. "": the store's own way.
	Wait string
}

// Session is one client thread's access to a store. It chooses the server worker for each request,
// batches requests, sends them and receives answers. A session belongs to one goroutine.
type Session interface {
	// Submit queues one request. If the request fills a batch, the next Flush or Poll sends it at
	// the latest. Submit returns false, and does not take the request, while its destination has a
	// full window in flight and a full batch waiting. Submit copies the request's key and value
	// before it returns.
	Submit(r *Request) (bool, error)
	// Flush sends incomplete batches too, as far as the window allows.
	Flush() error
	// Poll appends the received answers to answers. If there are none, it waits for at most wait
	// (0: not at all). The answers' values are valid until the next call on the session.
	Poll(answers []Answer, wait time.Duration) ([]Answer, error)
	// InFlight is the number of submitted requests without an answer.
	InFlight() int
	// Traffic returns the session's counters since it was opened.
	Traffic() Traffic
	// Moved returns the kernel's counters of the session's own sockets since they connected. It
	// costs system calls. Any goroutine may call it until Close.
	Moved() Moved
	Close() error
}

// Waiter is a [Session] that can be asked how to wait for answers.
type Waiter interface {
	// Waits returns how Poll waits: [WaitSleep] or [WaitPoll]; "": in the store's own way.
	Waits() string
}

// Traffic counts one session's traffic.
type Traffic struct {
	Frames                   uint64 // batches sent
	Writes                   uint64 // system calls that sent these batches, for a stream transport
	SentBytes, ReceivedBytes uint64 // payload of the transport, frame headers included
	// QueuedNs sums the time from the actual send of each operation until the system call that took
	// the last byte of its batch. SentOps counts these operations. Both concern a stream transport:
	// another one posts a batch at once.
	QueuedNs, SentOps uint64
	// These concern a transport that may lose messages. Retries counts requests sent again because
	// no answer came in time. Strays counts answers to requests that had been answered before.
	Retries, Strays uint64
	// SpunNs is the time that Poll spent polling without finding an answer. It uses the CPU and
	// does no work. It concerns a polled transport.
	SpunNs int64
	// Items are the GETs of a store whose clients read items.
	Items ReadTraffic
}

// Add adds another session's counters.
func (t *Traffic) Add(o *Traffic) { t.each(o, func(a, b uint64) uint64 { return a + b }) }

// Since returns the difference from earlier counters of the same sessions.
func (t Traffic) Since(was *Traffic) Traffic {
	t.each(was, func(a, b uint64) uint64 { return a - b })
	return t
}

// each calls with for every pair of corresponding counters.
func (t *Traffic) each(o *Traffic, with func(a, b uint64) uint64) {
	theirs := o.counts()
	for i, n := range t.counts() {
		*n = with(*n, *theirs[i])
	}
	t.SpunNs = int64(with(uint64(t.SpunNs), uint64(o.SpunNs)))
}

func (t *Traffic) counts() [15]*uint64 {
	i := &t.Items
	return [...]*uint64{
		&t.Frames, &t.Writes, &t.SentBytes, &t.ReceivedBytes, &t.QueuedNs, &t.SentOps, &t.Retries,
		&t.Strays,
		&i.Gets, &i.Asked, &i.Reads, &i.Bytes, &i.Retries, &i.CheckedNs, &i.CheckedGets,
	}
}
