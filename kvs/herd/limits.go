package herd

import (
	"fmt"
	"time"

	"dpukv/internal/offheap"
)

// These are the limits of a client on the side channel: see doc.go.
const (
	helloTimeout = handshakeTimeout // until the first frame begins
	frameTimeout = 5 * time.Second  // from a frame's first byte to its last
	writeTimeout = 5 * time.Second  // until a client has taken an answer
	// askInterval is the minimum interval between two answers on one connection. statsInterval is
	// the minimum interval between two questions to the workers.
	askInterval   = 100 * time.Millisecond
	statsInterval = 5 * time.Millisecond
	// A connection without slots ends after idleTimeout of silence, once crowdedPercent of the
	// places are taken.
	idleTimeout    = time.Minute
	crowdedPercent = 75
)

// These are sizes of frames from clients, in bytes.
const (
	plainBytes    = 256     // an empty frame
	joinBytes     = 1 << 10 // a join without its links
	joinLinkBytes = 4 << 10 // the two endpoints of a link
)

// frameBytes returns the maximum length of a body from a client.
func frameBytes(k kind, workers int) int {
	switch k {
	case kindJoin:
		return joinBytes + workers*joinLinkBytes
	case kindExtend:
		return joinLinkBytes
	}
	return plainBytes
}

// connectionBytes is the most memory that a connection takes beside its slots. It sums the received
// bytes of the largest frame, their copy while the buffer grows, the parsed frame, a stack, and the
// answer.
func connectionBytes(workers int) int64 {
	return 64<<10 + 3*int64(frameBytes(kindJoin, workers)) + int64(workers)*1<<10
}

// slotStateBytes is the server's state per slot: the control word taken last, and its outcome.
const slotStateBytes = wordBytes + 1

// clientBytes is the most memory that all clients together may take: slots and connections.
func (c *Config) clientBytes() int64 {
	slots := int64(c.MaxClients) * int64(c.Workers) * int64(powerOfTwo(c.Window))
	return slots*int64(c.SlotBytes+slotStateBytes) +
		int64(c.MaxConnections)*connectionBytes(c.Workers)
}

// checkMemory refuses a server whose clients could take more memory than there is.
func (c *Config) checkMemory(fits offheap.Fitting) error {
	if err := fits(c.clientBytes(), offheap.Small); err != nil {
		return fmt.Errorf("memory: found %d clients with a window of %d slots of %d bytes at "+
			"each of %d workers, and %d connections, which need up to %d MiB: %w; lower "+
			"--max-clients, --window, --slot-bytes or --max-connections",
			c.MaxClients, powerOfTwo(c.Window), c.SlotBytes, c.Workers, c.MaxConnections,
			c.clientBytes()>>20, err)
	}
	return nil
}
