package verbs

import (
	"errors"
	"io"
	"time"
)

// DeviceInfo describes a device. Every result contains it.
type DeviceInfo struct {
	Provider string `json:"provider"` // "ibverbs", "softroce", "shm"
	Name     string `json:"name"`     // "mlx5_0", "softroce 127.0.0.1"
	Firmware string `json:"firmware,omitempty"`
	// Emulated reports whether the device is software: its figures are not those of a NIC.
	Emulated bool `json:"emulated"`
	// Placement is the order that it promises for the bytes of a WRITE. Empty is unknown.
	Placement Placement `json:"placement,omitempty"`
}

// Options are settings of a device beside its name. Zero is the default except for GIDIndex.
type Options struct {
	// GIDIndex is for NICs only: other devices have one GID.
	GIDIndex int `json:"gid_index"`
	// MTU is the path MTU in bytes. 0: the largest possible.
	MTU int `json:"mtu,omitempty"`
	// Address is for NICs only: the GID must have it, unless GIDIndex names one. "": any.
	Address string `json:"address,omitempty"`
}

// Device is an opened device.
type Device interface {
	Info() DeviceInfo
	// Port returns the current state of the port in use.
	Port() (Port, error)
	AllocPD() (PD, error)
	// CreateCQ makes a completion queue for at least depth completions.
	CreateCQ(depth int) (CQ, error)
	// Progress lets a software device receive and send whatever it can without waiting. It reports
	// whether there was anything. A NIC reports false.
	Progress() (bool, error)
	// Wait blocks until Progress may have something to do, at most for d. A device that cannot know
	// yields the CPU and returns.
	Wait(d time.Duration) error
	// Events returns the asynchronous events since a time, the oldest first: a dead port, a QP in
	// error. A device keeps the last 64. After Close, the events before it stay available. Nobody
	// has to read them.
	Events(since time.Time) []Event
	// Counters returns the device's counters by name. The most important ones count dropped packets
	// by reason ("bad_icrc", "bad_rkey", …).
	Counters() map[string]uint64
	// Close frees the device and all objects made from it.
	Close() error
}

// Rest lets a software device do what it can. If that is nothing, Rest waits for at most d.
func Rest(dev Device, d time.Duration) (busy bool, err error) {
	if busy, err := dev.Progress(); busy || err != nil {
		return busy, err
	}
	return false, dev.Wait(d)
}

// Close closes what is not nil, in this order. A nil pointer in an interface is not nil.
func Close(all ...io.Closer) (err error) {
	for _, c := range all {
		if c != nil {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// LinkLayer is the link layer of a port.
type LinkLayer string

// These are the link layers.
const (
	LinkEthernet   LinkLayer = "ethernet"
	LinkInfiniBand LinkLayer = "infiniband"
	LinkMemory     LinkLayer = "memory" // shm
)

// Port is a device's port.
type Port struct {
	Number    int       `json:"number"`
	Active    bool      `json:"active"`
	LinkLayer LinkLayer `json:"link_layer"`
	LID       uint16    `json:"lid"`
	MTU       int       `json:"mtu"` // active path MTU in bytes: 256, 512, 1024, 2048, 4096
	GIDIndex  int       `json:"gid_index"`
	GID       GID       `json:"gid"`
	MaxInline int       `json:"max_inline"` // bytes
}

// Access is the set of permitted accesses to a memory region.
type Access uint8

// These are the kinds of access. Local reading is always allowed.
const (
	LocalWrite Access = 1 << iota
	RemoteWrite
	RemoteRead
)

// PD is a protection domain.
type PD interface {
	// AllocMR makes and registers size bytes of zeroed memory outside the Go heap.
	AllocMR(size int, access Access) (MR, error)
	CreateQP(QPConfig) (QP, error)
	// CreateAH makes the address handle for UD sends to a peer.
	CreateAH(Endpoint) (AH, error)
	Close() error
}

// MR is a memory region.
type MR interface {
	// Bytes returns the memory. It is valid until Close.
	Bytes() []byte
	// Addr is the address of its first byte, as work requests name it here and, with RKey, at a
	// peer.
	Addr() uint64
	LKey() uint32
	RKey() uint32
	// Region describes the memory region to a peer.
	Region() Region
	Close() error
}

// Region describes a memory region to a peer.
type Region struct {
	Addr   uint64 `json:"addr"`
	Length int    `json:"length"`
	RKey   uint32 `json:"rkey"`
	// Handle tells a peer on this machine how to map it (shm only).
	Handle string `json:"handle,omitempty"`
}

// AH is an address handle.
type AH interface {
	// Handle is its number in work requests.
	Handle() uint32
	Close() error
}

// CQ is a completion queue.
type CQ interface {
	// Poll takes up to len(wcs) completions, without waiting.
	Poll(wcs []WC) (int, error)
	Close() error
}
