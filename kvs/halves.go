package kvs

import (
	"fmt"

	"dpukv/internal/cpu"
)

// Halves start the parts of a store that can be split. The network half can then run on another
// machine than the store or the application: on a DPU.
type Halves struct {
	// StartStore starts the workers with their partitions, without a network. The server's address
	// is the side channel that an engine joins.
	StartStore func(*HalfConfig) (Server, error)
	// StartEngine starts the server's network half. The server's address is what clients dial.
	StartEngine func(*HalfConfig) (Server, error)
	// StartProxy starts the network half of clients. The server's address is the side channel that
	// sessions join.
	StartProxy func(*ProxyConfig) (Server, error)
	// DefaultDevice is the verbs device that joins the halves by default.
	DefaultDevice string
}

// HalfConfig configures a half of a server.
type HalfConfig struct {
	ServerConfig
	// StoreAddr is the address of the store half that an engine joins.
	StoreAddr string `json:"store_addr,omitempty"`
}

// EngineThreads returns the number of threads of an engine: the asked one, or for 0 as many as the
// store half has.
func EngineThreads(asked, ofStore int) (int, error) {
	if asked == 0 {
		return ofStore, nil
	}
	if asked < 0 || ofStore < 1 || asked%ofStore != 0 {
		return 0, fmt.Errorf("engine threads: found %d for %d threads of the store, allowed: a "+
			"multiple of these, or 0 for as many", asked, ofStore)
	}
	return asked, nil
}

// ProxyConfig configures a proxy.
type ProxyConfig struct {
	Listen string `json:"listen"` // HOST:PORT; port 0 stands for any free port
	// Server is the address of the server. The proxy connects to no other host.
	Server  string `json:"server"`
	Threads int    `json:"threads"`
	Device  Device `json:"device,omitzero"`
	// Wait is how the threads wait for messages: "poll" or "nap". "": poll.
	Wait string `json:"wait,omitempty"`

	CPUs    []int  `json:"-"` // a node's part says it
	Version string `json:"-"` // a node has its own
}

// These are the parts of a server or a client, as points name them.
const (
	PartApplication = "application" // the client, without its network half
	PartProxy       = "proxy"       // the network half of a client
	PartEngine      = "engine"      // the network half of a server
	PartStore       = "store"       // the workers with their partitions
	PartServer      = "server"      // a server that is not split
)

// PartStats are the counters of one process of a split server, or of a proxy.
type PartStats struct {
	Part  string `json:"part"`
	CPUNs int64  `json:"cpu_ns"` // CPU time of the process, user and system
	// SpunNs is the part of CPUNs that went into polling without finding work.
	SpunNs int64 `json:"spun_ns"`
	// Machine is the ID of the kernel's boot. Parts with the same one share CPUs and counters of
	// energy. "": not known, as of a proxy.
	Machine string `json:"machine,omitempty"`
	// CPUs tells which programs used the CPUs that the part is pinned to: see [Stats.CPUs].
	CPUs cpu.Occupied `json:"cpus,omitzero"`
}

// LaneFacts describe the lanes between two halves: see package verbs/mqueue.
type LaneFacts struct {
	Provider string `json:"provider"`           // of both devices: "shm", "softroce", "ibverbs"
	Emulated bool   `json:"emulated,omitempty"` // a device is software
	Answers  string `json:"answers"`            // "read" or "write"
	Wait     string `json:"wait"`               // "poll" or "nap", of the threads at the other end
	// Ordering is "low to high" where devices write in that order, or "fenced" where each message
	// needs a READ behind it.
	Ordering  string `json:"ordering"`
	Lanes     int    `json:"lanes"`
	Slots     int    `json:"slots"` // of a lane: messages without an answer at most
	SlotBytes int    `json:"slot_bytes"`
	// Workers is the number of threads at the other end, and CPUs are what they are pinned to.
	Workers int   `json:"workers"`
	CPUs    []int `json:"cpus,omitempty"`
}
