package keeper

// Plan describes the lab to make. Names of interfaces have 15 letters at most.
type Plan struct {
	Spaces  []string `json:"spaces"`            // network namespaces
	Bridges []string `json:"bridges,omitempty"` // the namespaces with a bridge
	Links   []Link   `json:"links"`
	MTU     int      `json:"mtu"`
	// checksums and segmentation left to the interfaces, or done before them
	Offloads bool    `json:"offloads"`
	Quotas   []Quota `json:"quotas,omitempty"`
	Reach    []Reach `json:"reach,omitempty"` // Up waits for these ways
}

// Link is a virtual cable: a pair of interfaces.
type Link struct {
	A End `json:"a"`
	B End `json:"b"`
	// RateBps is the highest sending rate of either end, in bits a second; 0: no limit.
	RateBps uint64 `json:"rate_bps,omitempty"`
}

// End is an interface.
type End struct {
	Space   string `json:"space"`
	Name    string `json:"name"`
	Bridged bool   `json:"bridged,omitempty"` // it is a port of its namespace's bridge
	Address string `json:"address,omitempty"` // with the length of the network's prefix
}

// Quota is the CPU time for a space's processes: that of so many CPUs. With 0 CPUs, the processes
// have a group without a limit. Through the group they are found when the keeper is dead.
type Quota struct {
	Space string  `json:"space"`
	CPUs  float64 `json:"cpus"`
}

// Reach is a required way: from a space to an address in another.
type Reach struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Held describes the lab that was made.
type Held struct {
	PID    int            `json:"pid"`    // of the keeper
	FDs    map[string]int `json:"fds"`    // of the keeper: its namespaces
	Cgroup string         `json:"cgroup"` // "v1", "v2"; "": no quotas
	Groups map[string]Set `json:"groups"` // by space
}

// Set is a quota in force.
type Set struct {
	Procs    string  `json:"procs"` // the file that takes the PIDs
	CPUs     float64 `json:"cpus"`
	PeriodNs int64   `json:"period_ns"`
}

// Counters are an interface's counts since it was made.
type Counters struct {
	RxPackets uint64 `json:"rx_packets"`
	RxBytes   uint64 `json:"rx_bytes"`
	RxDropped uint64 `json:"rx_dropped"`
	TxPackets uint64 `json:"tx_packets"`
	TxBytes   uint64 `json:"tx_bytes"`
	TxDropped uint64 `json:"tx_dropped"`
}

// LinkState is an order to bring an interface up or down.
type LinkState struct {
	Space string `json:"space"`
	Name  string `json:"name"`
	Up    bool   `json:"up"`
}
