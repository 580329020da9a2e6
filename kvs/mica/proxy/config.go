package proxy

import (
	"fmt"
	"net"
	"time"

	"dpukv/internal/admission"
	"dpukv/kvs"
	"dpukv/verbs"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
)

const (
	// DefaultDevice connects two ends on one machine.
	DefaultDevice = "shm"

	maxThreads            = 64
	defaultMaxConnections = 1024
	helloTimeout          = 5 * time.Second // until the hello is complete
	stepTimeout           = 10 * time.Second
	helloBytes            = 4 << 10
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
	// MaxConnections is the maximum number of connections to the side channel: one for each pair.
	// 0: 1,024, or fewer if the process may open fewer files.
	MaxConnections int

	accept func(*visit) (lane, error) // nil: a lane of mqueue
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
	if c.Device.Name == "" {
		c.Device.Name = DefaultDevice
	}
	asked := c.MaxConnections
	if asked == 0 {
		asked = defaultMaxConnections
	}
	// A pair has two descriptors.
	files, err := admission.ForFiles()
	if err != nil {
		return err
	}
	if asked > files/2 && c.MaxConnections > 0 {
		return fmt.Errorf("connections: found a limit of %d, allowed: up to %d, as each needs two "+
			"of the files that this process may open; raise ulimit -n", asked, files/2)
	}
	c.MaxConnections = max(1, min(asked, files/2))
	return nil
}

// lane is one end of a lane, as the proxy and the application use it.
type lane interface {
	Slot() []byte
	Send(n int, code uint16) error
	Poll() (bool, error)
	Receive() (mqueue.Message, bool)
	Close() error
}

// openDevice opens the device of lanes.
func openDevice(d *kvs.Device) (verbs.Device, error) {
	return provider.Open(d.Name, provider.Options{GIDIndex: d.GIDIndex, MTU: d.MTU})
}
