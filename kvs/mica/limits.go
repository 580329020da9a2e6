package mica

import "time"

// These limit a worker's work at a time, so that no connection keeps it from the others for long.
const (
	// readBytes is the most that one read takes from a connection.
	readBytes = 256 << 10
	// flushBytes is how many bytes of answers a worker gathers before it writes, even if its read
	// brought more frames.
	flushBytes = 256 << 10
	// turnBytes is how many bytes of answers a connection gets in one turn. One frame of up to
	// MaxFrameBytes may come on top. The rest of its input waits until all others had their turn.
	turnBytes = 1 << 20
	// shortBytes is the most that a short turn reads, and the most that it answers.
	shortBytes = 64 << 10
	// trustAfter is how many short turns a connection needs before it may take the next at once.
	// Before that, and after a long turn, it waits in line.
	trustAfter = 16
	// aheadBytes is the most unanswered input of a connection: a frame, and one read.
	aheadBytes = MaxFrameBytes + readBytes
	// helloBytes is the length of the only legal frame before a hello.
	helloBytes = headerBytes + len(magic)
	// maxRefusing is how many refused connections a worker keeps until their clients have read the
	// reason.
	maxRefusing = 16
)

const (
	// tickEvery is how often a worker looks at the clock while a client has a deadline.
	tickEvery = 100 * time.Millisecond
	// pollEvery is how often a worker checks whether answers have left gnet's buffers, which gnet
	// does not report.
	pollEvery = time.Millisecond
)

// timeouts limit how long a client may take for its next step.
type timeouts struct {
	hello  time.Duration // from the accept to the whole hello
	frame  time.Duration // from the first byte of a frame to its last
	unread time.Duration // from an answer that the kernel refuses until it takes it
	leave  time.Duration // from a failure frame until the client has hung up
}

var defaultTimeouts = timeouts{
	hello: 5 * time.Second, frame: 30 * time.Second, unread: 30 * time.Second, leave: time.Second,
}

// obligation is the step that a client must take by its deadline.
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
