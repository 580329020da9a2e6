package emulate

// Spec describes a lab. Hosts are connected in the given order.
type Spec struct {
	Machines []Machine `json:"machines"`
	// MTU of every link in bytes, Ethernet header not counted; 0: 1500.
	MTU int `json:"mtu,omitempty"`
	// Offloads are the offloads of every interface: On, Off, or "": Off if any DPU is on-path, else
	// On. See doc.go.
	Offloads string `json:"offloads,omitempty"`
	// Keeper is the command that runs keeper.Run: nil for "lab" of this executable.
	Keeper []string `json:"-"`
}

// Machine is a host or a DPU.
type Machine struct {
	Name string `json:"name"` // letters, digits, dot, dash, underscore; at most 40
	Kind string `json:"kind"` // Host, DPU
	Of   string `json:"of,omitempty"`
	// Profile models the machine's cores and link. It is a file or the name of a built-in profile
	// (see LoadProfile). NoProfile or "" is this machine as it is.
	Profile string `json:"profile,omitempty"`
	// OnPath makes a DPU the only way to its host. Its namespace gets the interfaces p0 (to the
	// wire) and pf0hpf (to the host). Only a datapath connects them. The DPU has no address.
	OnPath bool `json:"on_path,omitempty"`
	// Direct connects a host without a DPU to the wire with nothing between: the baseline of
	// on-path.
	Direct bool `json:"direct,omitempty"`
}

// The kinds of machines, the settings of offloads, and the profile that models nothing.
const (
	Host = "host"
	DPU  = "dpu"

	On  = "on"
	Off = "off"

	NoProfile = "none"
)

// The interfaces of machines. A host or off-path DPU has Uplink; an on-path DPU has Port and
// HostPort.
const (
	Uplink   = "eth0"
	Port     = "p0"
	HostPort = "pf0hpf"
)
