package kvs

// Halves start the parts of a store that can be split. The network half of the server is the
// engine, that of the client is the proxy.
type Halves struct {
	// StartStore starts the workers with their partitions, without a network. Its Addr is the side
	// channel that an engine joins.
	StartStore func(*ServerConfig) (Server, error)
	// StartEngine starts the network half of the server whose other half has the address
	// [ServerConfig.StoreAddr]. Its Addr is what clients dial.
	StartEngine func(*ServerConfig) (Server, error)
	// StartProxy starts the network half of clients. Its Addr is what sessions join:
	// [DialConfig.Proxy].
	StartProxy func(*ProxyConfig) (Server, error)
	// DefaultDevice is the device of lanes between halves.
	DefaultDevice string
}

// ProxyConfig configures a proxy of any store.
type ProxyConfig struct {
	// Listen is HOST:PORT. Port 0 stands for any free port.
	Listen string `json:"listen"`
	// Server is the address of the server, or its host. A proxy connects to no other host.
	Server  string `json:"server"`
	Threads int    `json:"threads"`
	// Device is the proxy's device. Its name may be empty: [Halves.DefaultDevice].
	Device Device `json:"device,omitzero"`
	// CPUs are the CPUs that the threads are pinned to, in turn. None: they are not pinned.
	CPUs []int `json:"-"` // a node's part says it
	// Version is the version of this build.
	Version string `json:"-"` // a node has its own
}

// LaneFacts describe the lanes between two parts of a store.
type LaneFacts struct {
	// Provider is the verbs provider. If the two ends use different ones, both are named ("softroce
	// to ibverbs"). Emulated reports whether the device of either end is software.
	Provider string `json:"provider"`
	Emulated bool   `json:"emulated,omitempty"`
	// Answers says how messages leave the memory of the owner: "read" or "write".
	Answers string `json:"answers"`
	// Ordering says how a control word stays behind its payload: "low to high" or "fenced".
	Ordering string `json:"ordering"`
	// Workers is the number of threads at the other end.
	Workers int `json:"workers"`
}

// PartStats are the counters of a part of a split store.
type PartStats struct {
	Part  string `json:"part"` // "engine", "store" or "proxy"
	CPUNs int64  `json:"cpu_ns"`
	// SpunNs is the part of CPUNs that went into polling without finding work.
	SpunNs int64 `json:"spun_ns"`
}
