package mica

import "time"

// What a worker takes at a time, so that no connection keeps it from the others for long.
const (
	// readBytes is the most that one read takes from a connection.
	readBytes = 256 << 10
	// flushBytes is how many bytes of answers a worker gathers before it writes, even when its
	// read brought more frames.
	flushBytes = 256 << 10
	// turnBytes is how many bytes of answers a connection gets in one turn. A frame more, of
	// MaxFrameBytes, is possible. What else it has sent waits until all others had their turn.
	turnBytes = 1 << 20
	// shortBytes is how many bytes a short turn reads, and how many it answers, at most.
	shortBytes = 64 << 10
	// trustAfter is how many short turns a connection has before it may take the next at once.
	// Before that many, and after a long one, it waits in line.
	trustAfter = 16
	// aheadBytes is the most that a connection may have sent and not been answered: a frame, and
	// one read.
	aheadBytes = MaxFrameBytes + readBytes
	// helloBytes is the length of the only frame that is allowed before a hello.
	helloBytes = headerBytes + len(magic)
	// maxRefusing is how many refused connections a worker keeps until their clients have read why.
	maxRefusing = 16
)

const (
	// tickEvery is how often a worker looks at the clock while a client has a deadline.
	tickEvery = 100 * time.Millisecond
	// pollEvery is how often it looks whether answers have left gnet's buffers, which gnet does
	// not tell.
	pollEvery = time.Millisecond
)

// timeouts are how long a client may take for what it is to do next.
type timeouts struct {
	hello  time.Duration // from the accept to the whole hello
	frame  time.Duration // from the first byte of a frame to its last
	unread time.Duration // from answers that the kernel does not take until it has taken them
	leave  time.Duration // from a failure frame until the client has hung up
}

var defaultTimeouts = timeouts{
	hello: 5 * time.Second, frame: 30 * time.Second, unread: 30 * time.Second, leave: time.Second,
}

// obligation is what a client is to do by its deadline.
type obligation uint8

const (
	nothingDue obligation = iota
	helloDue
	frameDue
	readingDue
	leavingDue
)

func (p *timeouts) of(d obligation) time.Duration {
	switch d {
	case helloDue:
		return p.hello
	case frameDue:
		return p.frame
	case readingDue:
		return p.unread
	}
	return p.leave
}
