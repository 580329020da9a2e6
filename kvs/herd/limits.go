package herd

import (
	"fmt"
	"time"

	"dpukv/internal/offheap"
)

// What a client may take of the side channel: see doc.go.
const (
	helloTimeout = handshakeTimeout // until the first frame begins
	frameTimeout = 5 * time.Second  // from a frame's first byte to its last
	writeTimeout = 5 * time.Second  // until a client has taken an answer
	// askInterval is how often one connection's questions are answered, gaugeEvery how often
	// workers are asked.
	askInterval   = 100 * time.Millisecond
	statsInterval = 5 * time.Millisecond
	// A connection without slots ends that was silent for idleFor, once so many in a hundred places
	// are taken.
	idleTimeout    = time.Minute
	crowdedPercent = 75
)

// Bytes of frames from clients.
const (
	plainBytes    = 256     // without anything in it
	joinBytes     = 1 << 10 // without links
	joinLinkBytes = 4 << 10 // a link's two endpoints
)

// frameBytes is how long a body from a client may be.
func frameBytes(k kind, workers int) int {
	if k == kindJoin {
		return joinBytes + workers*joinLinkBytes
	}
	return plainBytes
}

// connectionBytes is the memory that a connection takes at most beside its slots: what it has sent
// of the largest frame, while that is moved to where it fits, what is made of it, a stack, and the
// answer.
func connectionBytes(workers int) int64 {
	return 64<<10 + 3*int64(frameBytes(kindJoin, workers)) + int64(workers)*1<<10
}

// slotStateBytes is what the server keeps of each slot: the control word taken last, and its
// outcome.
const slotStateBytes = wordBytes + 1

// clientBytes is the memory that all clients together may take, at most: slots and connections.
func (c *Config) clientBytes() int64 {
	slots := int64(c.MaxClients) * int64(c.Workers) * int64(powerOfTwo(c.Window))
	return slots*int64(c.SlotBytes+slotStateBytes) + int64(c.MaxConnections)*connectionBytes(c.Workers)
}

// checkMemory refuses a server whose clients could take more memory than there is.
func (c *Config) checkMemory(fits func(size int64, pages offheap.Pages) error) error {
	if err := fits(c.clientBytes(), offheap.Small); err != nil {
		return fmt.Errorf("found %d clients with a window of %d slots of %d bytes at each of %d workers, "+
			"and %d connections, which may take %d MiB: %w; "+
			"lower --max-clients, --window, --slot-bytes or --max-connections",
			c.MaxClients, powerOfTwo(c.Window), c.SlotBytes, c.Workers, c.MaxConnections,
			c.clientBytes()>>20, err)
	}
	return nil
}
