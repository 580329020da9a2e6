package kvs

import (
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/energy"
)

// Facts describe a running server. They do not change during its lifetime.
type Facts struct {
	Store   string `json:"store"`   // "mica", "herd"
	Version string `json:"version"` // of the server's build
	// Half is the part of a split store that the process is: [PartStore], [PartEngine] or
	// [PartProxy]. "": the whole.
	Half string `json:"half,omitempty"`
	// Transport is what carries the requests: "tcp", "tcp+tls", "unix", "rdma".
	Transport string `json:"transport"`
	// TLS is the version and the cipher suite of TLS, and whether the server's certificate was
	// verified.
	TLS string `json:"tls,omitempty"`
	// ClusterNodes are the addresses of the servers that share the keys, of a store with a cluster.
	ClusterNodes []string `json:"cluster_nodes,omitempty"`
	// Provider is the verbs provider of an RDMA transport. If the client uses another one, that one
	// comes first ("softroce to ibverbs"). Emulated reports whether the device of either end is
	// software.
	Provider string `json:"provider,omitempty"`
	Emulated bool   `json:"emulated,omitempty"`
	// Protocol is the protocol that client and server agreed on, where there are several: "meta",
	// "resp3".
	Protocol string `json:"protocol,omitempty"`
	// Command is the command line of a server program other than dpukv.
	Command    []string `json:"command,omitempty"`
	PID        int      `json:"pid,omitempty"` // process ID that this program reports
	Workers    int      `json:"workers"`       // threads that answer requests
	Partitions int      `json:"partitions"`    // over all workers
	// Hash is the key hash function that every client must use. It is empty if the server needs
	// none.
	Hash       string `json:"hash"`
	Setup             // as it is in use; what is not told is empty
	CPUs       []int  `json:"cpus"`  // where the workers are pinned; empty: not pinned
	Pages      string `json:"pages"` // the memory behind the items: "hugetlb-2m", "thp-512m", "64k"
	Items      int    `json:"items"` // the number of items the index is sized for
	IndexBytes int64  `json:"index_bytes"`
	LogBytes   int64  `json:"log_bytes"`
	// MinHitRate is the smallest share of preloaded keys that this kind of store must still hold: 1
	// where nothing may be lost.
	MinHitRate    float64 `json:"min_hit_rate"`
	MaxBatch      int     `json:"max_batch"`       // operations per batch
	MaxFrameBytes int     `json:"max_frame_bytes"` // bytes per batch, either way
	// MaxConnections is the maximum number of concurrent connections. MaxClientBytes is the most
	// memory that the server uses for connections, besides index and log: buffers, and slots of
	// clients. GuaranteedBytes is the part of it that each connection can rely on, whatever the
	// others do. 0: the server does not report it.
	MaxConnections  int   `json:"max_connections,omitempty"`
	MaxClientBytes  int64 `json:"max_client_bytes,omitempty"`
	GuaranteedBytes int64 `json:"guaranteed_bytes,omitempty"`
	// MaxKeyBytes is the longest key, where it is shorter than [MaxKeyBytes].
	MaxKeyBytes int `json:"max_key_bytes,omitempty"`
	// TTLUnit is the unit of the times after which items expire. 0: they do not expire.
	TTLUnit time.Duration `json:"ttl_unit_ns,omitempty"`
	// RequestCheck names the checksum of long requests, where no device promises that the last word
	// of a request is the last to arrive. Empty: they need none.
	RequestCheck string `json:"request_check,omitempty"`
	// Reads are of a store whose clients read items.
	Reads *ReadFacts `json:"reads,omitempty"`
	// Lanes join the halves of a split server. Workers are then the threads of the engine.
	// ProxyLanes join a client to its proxy: those that it has had so far.
	Lanes      *LaneFacts `json:"lanes,omitempty"`
	ProxyLanes *LaneFacts `json:"proxy_lanes,omitempty"`
}

// Stats are a running server's counters since its start.
type Stats struct {
	// CPUNs is the CPU time of the whole server process, user and system. Of a split server it is
	// the sum of both halves.
	CPUNs int64 `json:"cpu_ns"`
	// Parts are the processes of a split server, and a client's proxy, whose CPU time is not in
	// CPUNs.
	Parts []PartStats `json:"parts,omitempty"`
	// CPUs tells which programs used the CPUs that the server is pinned to, itself included. Zero:
	// not known. Of a split server, these are the engine's.
	CPUs cpu.Occupied `json:"cpus"`
	// Energy is the state of the energy counters of the server's machine, or of both machines of a
	// split server. Empty: not known.
	Energy  energy.Reading `json:"energy,omitempty"`
	Workers []WorkerStats  `json:"workers"`
	// Threads are those of the server process, background threads included. They are only of a
	// program other than dpukv on the client's machine, whose counters are sums over its threads.
	Threads []cpu.Thread `json:"threads,omitempty"`
	// Warnings describe counters that contradict the facts, and events of the server's device under
	// load.
	Warnings []string `json:"doubts,omitempty"`
	// Untold names counters that the server does not tell, which are 0 here. NoItems reports that
	// the number of items is among them.
	Untold  []string `json:"untold,omitempty"`
	NoItems bool     `json:"no_items,omitempty"`
	// BufferedBytes is the current size of the connections' buffers; BufferedMostBytes is its
	// maximum.
	BufferedBytes     int64 `json:"buffered_bytes,omitempty"`
	BufferedMostBytes int64 `json:"buffered_most_bytes,omitempty"`
	// ByClient has what the asking client has done without the server.
	ByClient ReadStats `json:"by_client,omitzero"`
}

// WorkerStats are one worker's share of [Stats].
type WorkerStats struct {
	CPUNs  int64  `json:"cpu_ns"`            // CPU time of the worker's thread
	SpunNs int64  `json:"spun_ns,omitempty"` // of it, polling without finding work
	Frames uint64 `json:"frames"`            // batches answered
	Ops    uint64 `json:"ops"`
	// ResidenceNs sums the time of Ops in the server. Each operation has the time of its batch. It
	// begins with the read of the batch's last byte, and ends when the write of the answers has
	// returned. With RDMA, it is the time of the pass: from the first request seen until the
	// answers are posted. 0: not known.
	ResidenceNs uint64 `json:"residence_ns,omitempty"`
	Gets        uint64 `json:"gets"`
	Hits        uint64 `json:"hits"`
	Items       uint64 `json:"items"`             // in the worker's partitions now
	Evicted     uint64 `json:"evicted"`           // items evicted to make room, only cache mode
	Full        uint64 `json:"full"`              // writes refused for lack of room (store mode)
	BadFrames   uint64 `json:"bad_frames"`        // connections closed for illegal input
	Repeats     uint64 `json:"repeats,omitempty"` // repeated requests: answer late or lost
	Connections uint64 `json:"connections"`       // open now
	// Refused counts connections refused for lack of connections or descriptors. Late counts
	// connections closed because they kept the server waiting, Overdrawn those that needed more
	// buffers than were left. AcceptErrors counts failed calls of accept.
	Refused      uint64 `json:"refused,omitempty"`
	Late         uint64 `json:"late,omitempty"`
	Overdrawn    uint64 `json:"overdrawn,omitempty"`
	AcceptErrors uint64 `json:"accept_errors,omitempty"`
}

// PartOf returns the counters of a part of a split store. ok: there are some.
func (s *Stats) PartOf(part string) (p PartStats, ok bool) {
	for _, p := range s.Parts {
		if p.Part == part {
			return p, true
		}
	}
	return p, false
}

// Ops sums the operations over the workers, and those that the client has done without them.
func (s *Stats) Ops() uint64 {
	n := s.ByClient.Ops
	for i := range s.Workers {
		n += s.Workers[i].Ops
	}
	return n
}
