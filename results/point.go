package results

import (
	"time"

	"dpukv/load"
)

// Point is one measured point: the request, the configuration in use, and the counts. It is written
// once, as one line of points.jsonl, and never rewritten. The unit of a field stands at the end of
// its name.
type Point struct {
	Schema int    `json:"schema"` // SchemaVersion
	ID     string `json:"id"`     // of configuration and repeat; names the histogram file
	Status string `json:"status"` // "ok", or "failed" with its Error and invalid figures
	Error  string `json:"error,omitempty"`

	// The request.
	Store     string `json:"store"`
	Placement string `json:"placement"`
	Submode   string `json:"submode"`          // "off-path", "direct", "sm1" … "sm5"
	Filter    string `json:"filter,omitempty"` // work on the path: "drop-client:192.0.2.1"; "": none
	load.Load
	ServerThreads int `json:"server_threads"`
	ClientThreads int `json:"client_threads"` // of each client
	Repeat        int `json:"repeat"`         // counts from 1

	// The configuration in use.
	Transport string `json:"transport"` // "tcp", "rdma"
	// Provider is the verbs provider of an RDMA transport. It is "softroce to ibverbs" if client
	// and server use different ones. Emulated is set if either end is software; its figures are not
	// those of a NIC.
	Provider string `json:"provider,omitempty"`
	Emulated bool   `json:"emulated,omitempty"`
	// Protocol is the protocol on which client and server agreed: "meta", "resp3".
	Protocol string `json:"protocol,omitempty"`
	// ServerCommand is the command line of a server that is another program than dpukv.
	ServerCommand []string `json:"server_command,omitempty"`
	// EmulatedTestbed describes the model of a testbed whose machines stand for others. The words
	// are the same for all points of the testbed. Such a point is Emulated too.
	EmulatedTestbed string `json:"emulated_testbed,omitempty"`
	// Datapath is the short name of the forwarder between client and server, in a submode with a
	// DPU on the path; it is repeated in words. Substitute names the real part that a substitute
	// datapath stands in for.
	Datapath   string `json:"datapath,omitempty"`
	DatapathIs string `json:"datapath_is,omitempty"`
	Substitute string `json:"substitute,omitempty"`
	// Evidence counts packets from the start of the warm-up to the end: those into and out of the
	// DPU's ports, and those that the datapath itself counted. Crossings compare the traffic of the
	// clients and the server in that time with the counts of an interface on the way. CarriedShare
	// is the part of the traffic that the datapath took. It is the least Share of Crossings, times
	// the part of the packets at the ports that the datapath counted itself. Without Crossings it
	// is the second factor alone, and off-path it is 0.
	Evidence     map[string]uint64 `json:"evidence,omitempty"`
	Crossings    []Crossing        `json:"crossings,omitempty"`
	CarriedShare float64           `json:"carried_share,omitempty"`
	// EvidenceNs is the length of that time. It is longer than the measurement period, whose
	// operations are in Ops.
	EvidenceNs int64 `json:"evidence_ns,omitempty"`
	// ForwarderCPUNs is the CPU time, within EvidenceNs, of forwarding processes. It is 0 where the
	// kernel or a card forwards.
	ForwarderCPUNs int64 `json:"forwarder_cpu_ns,omitempty"`
	// ServerNode is the server's machine. Clients holds the machines of the clients, with their
	// shares.
	ServerNode     Node    `json:"server_node,omitzero"`
	Mode           string  `json:"mode"`   // of the store: "cache", "store"
	Access         string  `json:"access"` // "erew", "crew", "crcw"
	Pages          string  `json:"pages"`  // behind the server's items: "hugetlb", "thp", "4k"
	ServerCPUs     []int   `json:"server_cpus"`
	ClientCPUs     []int   `json:"client_cpus"`
	OpsPerFrame    float64 `json:"ops_per_frame"`
	BytesPerFrame  float64 `json:"bytes_per_frame"`            // of a request frame, payload of the transport
	FramesPerWrite float64 `json:"frames_per_write,omitempty"` // frames a write call; 0: not TCP
	ServerVersion  string  `json:"server_version"`
	ClientVersion  string  `json:"client_version"`
	ServerAddr     string  `json:"server_addr"`
	PreloadHitRate float64 `json:"preload_hit_rate"` // share of preloaded keys that were found

	// The counts of the measurement period.
	StartedAt     time.Time `json:"started_at"`
	DurationNs    int64     `json:"duration_ns"`
	Ops           uint64    `json:"ops"` // answered
	Gets          uint64    `json:"gets"`
	Hits          uint64    `json:"hits"`
	Misses        uint64    `json:"misses"`
	Errors        uint64    `json:"errors"` // wrong answers, and answers that report a failure
	Timeouts      uint64    `json:"timeouts"`
	Retries       uint64    `json:"retries"`        // resent after a time-out (lossy transport)
	LateOps       uint64    `json:"late_ops"`       // open loop: due in the period, answered later
	UnsentOps     uint64    `json:"unsent_ops"`     // open loop: due in the period, never sent
	Evicted       uint64    `json:"evicted"`        // by the server, preload included
	ThroughputOps float64   `json:"throughput_ops"` // operations a second

	// Latency is the latency of an operation from its intended send to its batch's answer. In a
	// closed loop the intended send is the actual one.
	Latency
	// Actual is the latency from the actual send.
	Actual Latency `json:"actual"`

	// ClientMoved is the traffic of the clients' sockets and device, from the first connection
	// until just before the last session closes. It includes control connections, handshakes and
	// the preload. A port on the way also counts the packets that open and close connections.
	// ClientMovedLoad is the part since the keys were stored and found (warm-up, measurement
	// period, drain, and the check of the hash's share). ClientMovedWindow is the part in the
	// measurement period.
	ClientMoved       Moved `json:"client_moved,omitzero"`
	ClientMovedLoad   Moved `json:"client_moved_load,omitzero"`
	ClientMovedWindow Moved `json:"client_moved_window,omitzero"`
	// ServerMovedLoad is the traffic of the server's connections and device in the span of
	// ClientMovedLoad, by the kernel of its own node. Both ends count while nothing is on the way:
	// over TCP, one end received exactly what the other sent. It is unknown for a server that ran
	// already.
	ServerMovedLoad Moved `json:"server_moved_load,omitzero"`

	// The cost: CPU time an operation, of the whole process, user and system.
	ServerCPUNsPerOp float64 `json:"server_cpu_ns_per_op"`
	ClientCPUNsPerOp float64 `json:"client_cpu_ns_per_op"`
	// ClientCPUShare is the client threads' CPU time over the wall time of their CPUs.
	ClientCPUShare float64 `json:"client_cpu_share"`
	ServerCPUShare float64 `json:"server_cpu_share"`
	// ClientBusyShare is ClientCPUShare without the time spent polling for answers with nothing
	// else to do.
	ClientBusyShare float64 `json:"client_busy_share"`
	// ServerOthersShare is the part of the time of ServerCPUs that other programs used.
	// ServerStolenShare is the part that a hypervisor withheld from the machine. Both come from the
	// kernel's ticks. The client's fields are alike; of several clients, the highest value counts.
	// 0 may also mean unknown: without pinning, or on another machine without dpukv.
	ServerOthersShare float64 `json:"server_others_share,omitempty"`
	ServerStolenShare float64 `json:"server_stolen_share,omitempty"`
	ClientOthersShare float64 `json:"client_others_share,omitempty"`
	ClientStolenShare float64 `json:"client_stolen_share,omitempty"`
	// ClientHashShare is the share of the client's CPU time that went into hashing keys.
	// ClientHashShareBy is its source: "sampling" with the number of samples, or an estimate and
	// the reason. If both are empty, nothing was hashed.
	ClientHashShare   float64 `json:"client_hash_share"`
	ClientHashShareBy string  `json:"client_hash_share_by,omitempty"`
	ClientHashSamples int     `json:"client_hash_samples,omitempty"`
	// ClientHashShareCheck is the same share, by a load that hashed its keys beforehand; 0: not
	// checked.
	ClientHashShareCheck float64 `json:"client_hash_share_check,omitempty"`

	// ServerWorkers is the store's own view of the measurement period. It is empty if the store
	// told nothing.
	ServerWorkers []ServerWorker `json:"server_workers,omitempty"`
	// Clients are the shares of each client in all this. Of several clients at once, the point has
	// the sum of counts, the latencies of the merged histograms, and the mean of everything else.
	Clients []ClientShare `json:"clients,omitempty"`

	// HlogBytes and HlogCRC32C are the length and checksum of the point's histogram log; they show
	// whether its file is whole. Without them the point has no log, or an older build wrote it.
	HlogBytes  int64  `json:"hlog_bytes,omitempty"`
	HlogCRC32C string `json:"hlog_crc32c,omitempty"`

	// Warnings are the warnings that must stand beside this point.
	Warnings []string `json:"warnings"`
}

// Node is a testbed's machine.
type Node struct {
	Node       string `json:"node"`
	Kind       string `json:"kind"`                 // "host", "dpu"
	Generation string `json:"generation,omitempty"` // of a DPU: "bf1", "bf2", "bf3"
	Profile    string `json:"profile,omitempty"`    // of a modelled node; empty: a real one
}

// ClientShare is one client's share of a point.
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
	// Moved and MovedLoad are the client's parts of the point's ClientMoved and ClientMovedLoad.
	Moved     Moved `json:"moved,omitzero"`
	MovedLoad Moved `json:"moved_load,omitzero"`
}

// Crossing is the traffic of a load in one direction, by the counts of its ends, beside the counts
// of an interface on the way.
type Crossing struct {
	Way string `json:"way"` // to server, to client
	At  string `json:"at"`  // the interface
	// Payload of TCP or UDP that certainly crossed, each byte once, and the packets on the wire
	// that carried it.
	MovedBytes   uint64 `json:"moved_bytes"`
	MovedPackets uint64 `json:"moved_packets"`
	// With headers, and with packets as the interface counts them: one may be many on the wire.
	SeenBytes   uint64 `json:"seen_bytes"`
	SeenPackets uint64 `json:"seen_packets"`
	// Share is the part of the moved traffic that the interface saw, at most 1.
	Share float64 `json:"share"`
}

// SchemaVersion is the version of [Point]'s JSON.
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
