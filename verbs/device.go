package verbs

import "time"

// DeviceInfo says what a device is. It goes into every result.
type DeviceInfo struct {
	Provider string `json:"provider"` // "ibverbs", "softroce", "shm"
	Name     string `json:"name"`     // "mlx5_0", "softroce 127.0.0.1"
	Firmware string `json:"firmware,omitempty"`
	// Emulated devices answer in software: their figures are not those of a NIC.
	Emulated bool `json:"emulated"`
}

// Device is an opened device.
type Device interface {
	Info() DeviceInfo
	// Port describes the port in use, as it is now.
	Port() (Port, error)
	AllocPD() (PD, error)
	// CreateCQ makes a completion queue for at least depth completions.
	CreateCQ(depth int) (CQ, error)
	// Progress lets a software device receive and send what it can without
	// waiting, and reports whether there was anything. A NIC reports false.
	Progress() (bool, error)
	// Wait blocks until Progress may have something to do, at most for d.
	// A device that cannot know returns after yielding the CPU.
	Wait(d time.Duration) error
	// Events are the asynchronous events since a time, the oldest first: a dead port, a QP in
	// error. A device keeps the last 64, and those that came before Close also after it. Nobody has
	// to read them.
	Events(since time.Time) []Event
	// Counters are what the device has counted so far, by name: what it
	// dropped and why comes first of all ("bad_icrc", "bad_rkey", …).
	Counters() map[string]uint64
	// Close frees the device and all that was made from it.
	Close() error
}

// LinkLayer of a port.
type LinkLayer string

// The link layers.
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

// Access is what may be done to a memory region.
type Access uint8

// Kinds of access. Local reading is always allowed.
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
	// CreateAH makes the address handle by which UD sends reach a peer.
	CreateAH(Endpoint) (AH, error)
	Close() error
}

// MR is a memory region.
type MR interface {
	// Bytes is the memory, until Close.
	Bytes() []byte
	// Addr is the address of its first byte, as work requests name it here
	// and, with RKey, at a peer.
	Addr() uint64
	LKey() uint32
	RKey() uint32
	// Region is what a peer needs to reach it.
	Region() Region
	Close() error
}

// Region is a memory region as told to a peer.
type Region struct {
	Addr   uint64 `json:"addr"`
	Length int    `json:"length"`
	RKey   uint32 `json:"rkey"`
	// Handle is how a peer on this machine maps it (shm only).
	Handle string `json:"handle,omitempty"`
}

// AH is an address handle.
type AH interface {
	// Handle is the number by which work requests name it.
	Handle() uint32
	Close() error
}

// CQ is a completion queue.
type CQ interface {
	// Poll takes up to len(wcs) completions, without waiting.
	Poll(wcs []WC) (int, error)
	Close() error
}
