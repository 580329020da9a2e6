package kvs

import "dpukv/internal/cpu"

// Facts is what a running server says of itself, fixed for its lifetime.
type Facts struct {
	Store     string `json:"store"`     // "mica", "herd"
	Version   string `json:"version"`   // of the server's build
	Transport string `json:"transport"` // what carries the requests: "tcp", "rdma"
	// Provider is the verbs provider of an RDMA transport, with the client's before it where that
	// is another ("softroce to ibverbs"), and Emulated whether the device of either end is
	// software.
	Provider string `json:"provider,omitempty"`
	Emulated bool   `json:"emulated,omitempty"`
	// Protocol is which of several a client and a server agreed on: "meta", "resp3".
	Protocol string `json:"protocol,omitempty"`
	// Command is how the server was started, of a program that is not dpukv.
	Command    []string `json:"command,omitempty"`
	PID        int      `json:"pid,omitempty"` // of that program, as it says
	Workers    int      `json:"workers"`       // cores that answer
	Partitions int      `json:"partitions"`    // over all workers
	// Hash is the key hash function every client must use; empty: the server needs none.
	Hash       string `json:"hash"`
	Mode       string `json:"mode"`   // "cache" or "store"
	Access     string `json:"access"` // "erew", "crew" or "crcw"
	CPUs       []int  `json:"cpus"`   // where the workers are pinned; empty: not pinned
	Pages      string `json:"pages"`  // the memory behind the items: "hugetlb", "thp", "4k"
	Items      int    `json:"items"`  // the number of items the index is sized for
	IndexBytes int64  `json:"index_bytes"`
	LogBytes   int64  `json:"log_bytes"`
	// MinHitRate is the least share of preloaded keys this kind of store is
	// allowed to still have: 1 where nothing may be lost.
	MinHitRate    float64 `json:"min_hit_rate"`
	MaxBatch      int     `json:"max_batch"`       // operations a batch
	MaxFrameBytes int     `json:"max_frame_bytes"` // bytes a batch, either way
	// MaxConnections is the most connections at once. MaxClientBytes is the most memory that the
	// server takes for them, beside index and log: buffers, and slots of clients. GuaranteedBytes
	// is what each connection has of it, whatever the others do. 0: not told.
	MaxConnections  int   `json:"max_connections,omitempty"`
	MaxClientBytes  int64 `json:"max_client_bytes,omitempty"`
	GuaranteedBytes int64 `json:"guaranteed_bytes,omitempty"`
	// MaxKeyBytes is the longest key, where it is less than [MaxKeyBytes].
	MaxKeyBytes int `json:"max_key_bytes,omitempty"`
}

// Stats is what a running server has counted since it started.
type Stats struct {
	// CPUNs is the CPU time of the whole server process, user and system.
	CPUNs int64 `json:"cpu_ns"`
	// CPUs is what has had the CPUs that the server is pinned to, itself included; zero: not known.
	CPUs    cpu.Occupied  `json:"cpus"`
	Workers []WorkerStats `json:"workers"`
	// Warnings are what the counters say against the facts, and what befell the server's device
	// under load, in words.
	Warnings []string `json:"doubts,omitempty"`
	// BufferedBytes are in connections' buffers now, BufferedMostBytes were at most.
	BufferedBytes     int64 `json:"buffered_bytes,omitempty"`
	BufferedMostBytes int64 `json:"buffered_most_bytes,omitempty"`
}

// WorkerStats is one worker's share of [Stats].
type WorkerStats struct {
	CPUNs       int64  `json:"cpu_ns"` // CPU time of the worker's thread
	Frames      uint64 `json:"frames"` // batches answered
	Ops         uint64 `json:"ops"`
	Gets        uint64 `json:"gets"`
	Hits        uint64 `json:"hits"`
	Items       uint64 `json:"items"`             // in the worker's partitions now
	Evicted     uint64 `json:"evicted"`           // items lost to make room, cache mode only
	Full        uint64 `json:"full"`              // writes refused for want of room, store mode only
	BadFrames   uint64 `json:"bad_frames"`        // connections ended for what they sent
	Repeats     uint64 `json:"repeats,omitempty"` // requests that came again because an answer was late or lost
	Connections uint64 `json:"connections"`       // open now
	// Connections that were refused, for want of connections or descriptors; that ended because
	// they kept the server waiting, or needed more buffers than were left; and calls of accept
	// that failed.
	Refused      uint64 `json:"refused,omitempty"`
	Late         uint64 `json:"late,omitempty"`
	Overdrawn    uint64 `json:"overdrawn,omitempty"`
	AcceptErrors uint64 `json:"accept_errors,omitempty"`
}

// Ops sums the operations over the workers.
func (s *Stats) Ops() uint64 {
	var n uint64
	for i := range s.Workers {
		n += s.Workers[i].Ops
	}
	return n
}
