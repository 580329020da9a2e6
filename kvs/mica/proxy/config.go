package proxy

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
)

const (
	// DefaultDevice connects two ends on one machine.
	DefaultDevice = "shm"

	maxThreads            = 64
	defaultMaxConnections = 1024
	defaultLaneBytes      = 1 << 30
	// leastLaneBytes is enough for a load with a few threads.
	leastLaneBytes = 16 << 20
	// visitBytes is what a connection takes before it has a lane: stacks, buffers and a message.
	visitBytes   = 32 << 10
	helloTimeout = 5 * time.Second
	stepTimeout  = 10 * time.Second
	helloBytes   = 4 << 10
)

// Frames say how frames look, and how a connection to a server begins.
type Frames struct {
	// HeadBytes is the length of a frame's start that Length needs.
	HeadBytes int
	// Length returns the length of a frame, from its first HeadBytes.
	Length func(head []byte) (int, error)
	// Greet greets a server on a fresh connection.
	Greet func(net.Conn) error
}

// Config configures a proxy.
type Config struct {
	Frames
	Listen string // HOST:PORT of the side channel
	// Host is the host of the one server that the proxy connects to.
	Host    string
	Threads int   // pump threads
	CPUs    []int // of the pump threads, in turn; none: not pinned
	Device  kvs.Device
	Wait    idle.Wait // of the pump threads
	Version string
	// MaxConnections is the maximum number of pairs. Connections that ask for a report have places
	// of their own. 0: 1,024, or fewer if the process may open fewer files.
	MaxConnections int
	// LaneBytes is the most memory of all lanes together. 0: 1 GiB, or less if there is no room for
	// that.
	LaneBytes int64
	// HelloTimeout is the time limit until a hello is complete. 0: 5 s.
	HelloTimeout time.Duration

	accept func(*visit) (lane, error) // nil: a lane of mqueue
	tell   func(string)               // nil: on the standard error
}

func (c *Config) check() (err error) {
	switch {
	case c.Threads < 1 || c.Threads > maxThreads:
		return fmt.Errorf("threads: found %d, allowed: 1 to %d", c.Threads, maxThreads)
	case c.Host == "":
		return fmt.Errorf("server: found none, allowed: the host of the server that the proxy " +
			"connects to")
	}
	if _, err := c.Wait.Policy(); err != nil {
		return err
	}
	c.Device.Name = cmp.Or(c.Device.Name, DefaultDevice)
	c.HelloTimeout = cmp.Or(c.HelloTimeout, helloTimeout)
	if c.tell == nil {
		c.tell = func(text string) { fmt.Fprintln(os.Stderr, text) }
	}
	if err := c.checkConnections(); err != nil {
		return err
	}
	return c.limitMemory(offheap.Fits)
}

// limitMemory compares what clients may take with the memory that there is.
func (c *Config) limitMemory(fits offheap.Fitting) (err error) {
	visits := int64(c.MaxConnections+reportPlaces) * visitBytes
	c.LaneBytes, err = offheap.Budget(c.LaneBytes, defaultLaneBytes, leastLaneBytes, visits, fits)
	if err != nil {
		return fmt.Errorf("memory of lanes, and of %d connections: %w", c.MaxConnections, err)
	}
	return nil
}

// checkConnections limits the pairs to the files that the process may open.
func (c *Config) checkConnections() error {
	asked := cmp.Or(c.MaxConnections, defaultMaxConnections)
	files, err := admission.ForFiles()
	if err != nil {
		return err
	}
	most := max(1, (files-reportPlaces)/2) // a pair has two descriptors
	if asked > most && c.MaxConnections > 0 {
		return fmt.Errorf("connections: found a limit of %d, allowed: up to %d, as each needs two "+
			"of the files that this process may open; raise ulimit -n", asked, most)
	}
	c.MaxConnections = min(asked, most)
	return nil
}

// tellOnce tells the proxy's user of the first event of a kind.
func (c *Config) tellOnce(first *sync.Once, what string) {
	first.Do(func() { c.tell("proxy: " + what + "; later ones are not reported") })
}

// lane is one end of a lane, as the proxy and the application use it.
type lane interface {
	Slot() []byte
	Send(n int, code uint16) error
	Poll() (bool, error)
	Receive() (mqueue.Message, bool)
	Close() error
}
