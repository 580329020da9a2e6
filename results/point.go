package results

import (
	"time"

	"dpukv/load"
)

// Point is one measured point: what was asked, what was used, what was counted.
// It is written once, as one line of points.jsonl, and never rewritten. The unit of
// a field stands at the end of its name.
type Point struct {
	Schema int    `json:"schema"` // SchemaVersion
	ID     string `json:"id"`     // of the configuration and its repeat; names the histogram file
	Status string `json:"status"` // "ok", or "failed": then Error says why and the figures are not to be believed
	Error  string `json:"error,omitempty"`

	// What was asked.
	Store     string `json:"store"`
	Placement string `json:"placement"`
	Submode   string `json:"submode"`          // "off-path", "direct", "sm1" … "sm5"
	Filter    string `json:"filter,omitempty"` // work on the path: "drop-client:192.0.2.1"; "": none
	load.Load
	ServerThreads int `json:"server_threads"`
	ClientThreads int `json:"client_threads"` // of each client
	Repeat        int `json:"repeat"`         // counts from 1

	// What was used.
	Transport string `json:"transport"` // "tcp", "rdma"
	// Provider is the verbs provider of an RDMA transport, "softroce to ibverbs" where the client's is another than the server's;
	// an Emulated one is software at either end, and its figures are not those of a NIC.
	Provider string `json:"provider,omitempty"`
	Emulated bool   `json:"emulated,omitempty"`
	// Protocol is which of several a client and a server agreed on: "meta", "resp3".
	Protocol string `json:"protocol,omitempty"`
	// ServerCommand is how the server was started, of a program that is not dpukv.
	ServerCommand []string `json:"server_command,omitempty"`
	// EmulatedTestbed says what stood for the machines where they are a model of others, in
	// words that are the same for all points of the testbed; such a point is Emulated too.
	EmulatedTestbed string `json:"emulated_testbed,omitempty"`
	// Datapath is what forwarded between client and server in a submode with a DPU on the path, by its short name and in words;
	// Substitute says what it stands in for, where it is not the submode's own.
	Datapath   string `json:"datapath,omitempty"`
	DatapathIs string `json:"datapath_is,omitempty"`
	Substitute string `json:"substitute,omitempty"`
	// Evidence are packets from the start of the warm-up to the end: that came to and left the
	// DPU's ports, and that the datapath itself counted. Crossings compare what the clients and the
	// server sent in that time with what an interface on the way saw of it. CarriedShare is the
	// part of what they sent that the datapath took: the least Share of Crossings, times the part
	// of the packets at the ports that the datapath counted itself. Of points without Crossings it
	// is the latter alone, and off-path it is 0.
	Evidence     map[string]uint64 `json:"evidence,omitempty"`
	Crossings    []Crossing        `json:"crossings,omitempty"`
	CarriedShare float64           `json:"carried_share,omitempty"`
	// EvidenceNs is how long that was: more than the measured window, whose operations are in Ops.
	EvidenceNs int64 `json:"evidence_ns,omitempty"`
	// ForwarderCPUNs is the CPU time, in EvidenceNs, of processes that forward; 0 where the kernel or a card does.
	ForwarderCPUNs int64 `json:"forwarder_cpu_ns,omitempty"`
	// ServerNode is the machine that the server ran on; Clients has those of the clients, with their shares.
	ServerNode     Node    `json:"server_node,omitzero"`
	Mode           string  `json:"mode"`   // of the store: "cache", "store"
	Access         string  `json:"access"` // "erew", "crew", "crcw"
	Pages          string  `json:"pages"`  // behind the server's items: "hugetlb", "thp", "4k"
	ServerCPUs     []int   `json:"server_cpus"`
	ClientCPUs     []int   `json:"client_cpus"`
	OpsPerFrame    float64 `json:"ops_per_frame"`
	BytesPerFrame  float64 `json:"bytes_per_frame"`            // of a request frame, payload of the transport
	FramesPerWrite float64 `json:"frames_per_write,omitempty"` // that left the client in one system call; 0: not over TCP
	ServerVersion  string  `json:"server_version"`
	ClientVersion  string  `json:"client_version"`
	ServerAddr     string  `json:"server_addr"`
	PreloadHitRate float64 `json:"preload_hit_rate"` // share of the preloaded keys that were there when asked for

	// What was counted, in the measured window.
	StartedAt     time.Time `json:"started_at"`
	DurationNs    int64     `json:"duration_ns"`
	Ops           uint64    `json:"ops"` // answered
	Gets          uint64    `json:"gets"`
	Hits          uint64    `json:"hits"`
	Misses        uint64    `json:"misses"`
	Errors        uint64    `json:"errors"` // answers that are wrong, or say that the operation failed
	Timeouts      uint64    `json:"timeouts"`
	Retries       uint64    `json:"retries"`        // requests sent again as no answer came in time: a transport that may lose
	LateOps       uint64    `json:"late_ops"`       // open loop: due in the window, answered after it
	UnsentOps     uint64    `json:"unsent_ops"`     // open loop: due in the window, never sent
	Evicted       uint64    `json:"evicted"`        // by the server, preload included
	ThroughputOps float64   `json:"throughput_ops"` // operations a second

	// Latency of an operation, from its intended send (the same as the
	// actual one in a closed loop) until its batch's answer is in.
	Latency
	// Actual is the latency from the actual send.
	Actual Latency `json:"actual"`

	// ClientMoved is what the clients' sockets and device moved from the first connection until the
	// last session was about to close: control connections, handshakes and the preload included.
	// A port on the way counts the packets of the connections' ends beside them. ClientMovedLoad is
	// the part of it since the keys were stored and found (warm-up, window, drain, and what the
	// hash's share was checked with), and ClientMovedWindow that of the measured window.
	ClientMoved       Moved `json:"client_moved,omitzero"`
	ClientMovedLoad   Moved `json:"client_moved_load,omitzero"`
	ClientMovedWindow Moved `json:"client_moved_window,omitzero"`
	// ServerMovedLoad is what the server's connections and its device moved in the span of
	// ClientMovedLoad, by its own node's kernel. Both ends count while nothing is on the way, so that
	// over TCP one received what the other sent. Nothing is known of a server that ran already.
	ServerMovedLoad Moved `json:"server_moved_load,omitzero"`

	// What it cost: CPU time an operation, of the whole process, user and system.
	ServerCPUNsPerOp float64 `json:"server_cpu_ns_per_op"`
	ClientCPUNsPerOp float64 `json:"client_cpu_ns_per_op"`
	// ClientCPUShare is the client threads' CPU time over the wall time of the CPUs they had.
	ClientCPUShare float64 `json:"client_cpu_share"`
	ServerCPUShare float64 `json:"server_cpu_share"`
	// ClientBusyShare is the part of ClientCPUShare that did not go into looking for answers with nothing to do.
	ClientBusyShare float64 `json:"client_busy_share"`
	// ServerOthersShare is the part of the time of ServerCPUs that other programs had, ServerStolenShare what a hypervisor kept from the
	// machine, and so for the client, of several the one with the most: by the kernel's ticks. 0 also where that is not known: without
	// pinning, or on another machine without dpukv.
	ServerOthersShare float64 `json:"server_others_share,omitempty"`
	ServerStolenShare float64 `json:"server_stolen_share,omitempty"`
	ClientOthersShare float64 `json:"client_others_share,omitempty"`
	ClientStolenShare float64 `json:"client_stolen_share,omitempty"`
	// ClientHashShare is the share of the client's CPU time that went into hashing keys, and
	// ClientHashShareBy how that was measured: "sampling", with the number of samples, or an estimate and why. Without either, nothing was hashed.
	ClientHashShare   float64 `json:"client_hash_share"`
	ClientHashShareBy string  `json:"client_hash_share_by,omitempty"`
	ClientHashSamples int     `json:"client_hash_samples,omitempty"`
	// ClientHashShareCheck is the same share by a load with hashing done beforehand; 0: not checked.
	ClientHashShareCheck float64 `json:"client_hash_share_check,omitempty"`

	// ServerWorkers is the store's own view of the measured window; empty where it was not told.
	ServerWorkers []ServerWorker `json:"server_workers,omitempty"`
	// Clients are the clients' shares of all this. Where several ran at once, counts are
	// summed, latencies are of their merged histograms, and everything else is above as a mean.
	Clients []ClientShare `json:"clients,omitempty"`

	// HlogBytes and HlogCRC32C are of the point's histogram log, whose file shows by them whether
	// it is whole. Without them it has none, or an older build wrote it.
	HlogBytes  int64  `json:"hlog_bytes,omitempty"`
	HlogCRC32C string `json:"hlog_crc32c,omitempty"`

	// Warnings are doubts about this point that must stand beside it.
	Warnings []string `json:"warnings"`
}

// Node is a testbed's machine.
type Node struct {
	Node       string `json:"node"`
	Kind       string `json:"kind"`                 // "host", "dpu"
	Generation string `json:"generation,omitempty"` // of a DPU: "bf1", "bf2", "bf3"
	Profile    string `json:"profile,omitempty"`    // after which it is modelled; empty: it is what it is
}

// ClientShare is what one client did for a point.
type ClientShare struct {
	Node
	CPUs          []int   `json:"cpus"`
	Threads       int     `json:"threads"`
	RateOps       float64 `json:"rate_ops"` // offered; 0: closed loop
	Ops           uint64  `json:"ops"`
	ThroughputOps float64 `json:"throughput_ops"`
	Latency
	CPUNsPerOp float64 `json:"cpu_ns_per_op"`
	CPUShare   float64 `json:"cpu_share"`
	HashShare  float64 `json:"hash_share"`
	// Moved and MovedLoad are its parts of the point's ClientMoved and ClientMovedLoad.
	Moved     Moved `json:"moved,omitzero"`
	MovedLoad Moved `json:"moved_load,omitzero"`
}

// Crossing is what the ends of a load moved one way, by their own counts, beside what an interface
// on the way saw.
type Crossing struct {
	Way string `json:"way"` // to server, to client
	At  string `json:"at"`  // the interface
	// Payload of TCP or UDP that certainly crossed, each byte once, and the packets that the wire
	// carried it in.
	MovedBytes   uint64 `json:"moved_bytes"`
	MovedPackets uint64 `json:"moved_packets"`
	// With headers, and with packets as the interface counts them: one may be many of the wire's.
	SeenBytes   uint64 `json:"seen_bytes"`
	SeenPackets uint64 `json:"seen_packets"`
	// Share is the part of what was moved that was seen, at most 1.
	Share float64 `json:"share"`
}

// SchemaVersion is that of [Point]'s JSON.
const SchemaVersion = 1

// The values of Point.Status.
const (
	StatusOK     = "ok"
	StatusFailed = "failed"
)

// Latency is a distribution's figures, in nanoseconds.
type Latency struct {
	MeanNs float64 `json:"latency_mean_ns"`
	P50Ns  int64   `json:"latency_p50_ns"`
	P95Ns  int64   `json:"latency_p95_ns"`
	P99Ns  int64   `json:"latency_p99_ns"`
	P999Ns int64   `json:"latency_p999_ns"`
	MaxNs  int64   `json:"latency_max_ns"`
}
