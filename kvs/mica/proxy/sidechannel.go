package proxy

import (
	"errors"
	"fmt"

	"dpukv/internal/foreign"
	"dpukv/internal/packets"
	"dpukv/verbs/mqueue"
)

// protocol is the version of the side channel.
const protocol = "dpukv proxy 1"

// hello is what a client sends first.
type hello struct {
	Protocol string `json:"protocol"`
	// Port is the server's worker to connect to. 0: the client asks for a report.
	Port int `json:"port,omitempty"`
	// Client is a number that all hellos of a client have.
	Client uint64 `json:"client,omitempty"`
	// SlotBytes is the longest frame.
	SlotBytes int `json:"slot_bytes,omitempty"`
}

// reply answers a hello.
type reply struct {
	Error  string  `json:"error,omitempty"`
	Report *Report `json:"report,omitempty"`
}

// err returns the proxy's error.
func (r *reply) err() error {
	if r.Error == "" {
		return nil
	}
	return errors.New("the proxy says: " + foreign.Reason([]byte(r.Error)))
}

// Report is what a proxy says about itself.
type Report struct {
	Version  string `json:"version"`
	Provider string `json:"provider"` // of its device
	Emulated bool   `json:"emulated"`
	Threads  int    `json:"threads"`
	Wait     string `json:"wait"` // see [idle.Wait]
	CPUs     []int  `json:"cpus,omitempty"`
	// Pairs are those of now, and OthersPairs those of other clients among them. MaxConnections is
	// the highest number.
	Pairs          int `json:"pairs"`
	OthersPairs    int `json:"others_pairs"`
	MaxConnections int `json:"max_connections"`
	// CPUNs is the CPU time of the process. SpunNs is the part in which its threads found nothing
	// to do.
	CPUNs  int64 `json:"cpu_ns"`
	SpunNs int64 `json:"spun_ns"`
	// Sockets counts the packets of the TCP connections to the server, of ended ones too.
	Sockets packets.Counts `json:"sockets"`
	// Frames counts the frames moved to the server, Writes the system calls that did it.
	Frames uint64 `json:"frames"`
	Writes uint64 `json:"writes"`
}

func (h *hello) check() error {
	switch {
	case h.Protocol != protocol:
		return fmt.Errorf("protocol: found %q, allowed: %q; use a client of the same version",
			foreign.Reason([]byte(h.Protocol)), protocol)
	case h.Port < 0 || h.Port > 1<<16-1:
		return fmt.Errorf("port: found %d, allowed: 1 to 65535, or 0 for a report", h.Port)
	case h.Port > 0 && (h.SlotBytes < minSlotBytes || h.SlotBytes > MaxSlotBytes):
		return fmt.Errorf("slots: found %d bytes, allowed: %d to %d", h.SlotBytes, minSlotBytes,
			MaxSlotBytes)
	}
	return nil
}

const (
	minSlotBytes = 64
	// MaxSlotBytes is the longest frame through a proxy.
	MaxSlotBytes = mqueue.MaxSlotBytes
	// MaxLaneBytes is the most memory of a lane's slots in one direction.
	MaxLaneBytes = 64 << 20
)

// CodeEnded is the code of a message that says why the TCP connection has ended.
const CodeEnded = 1
