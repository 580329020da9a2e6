package results

import (
	"time"

	"dpukv/kvs"
	"dpukv/load"
)

// Point is one measured point: what was asked, what was used, what was counted. It is written once,
// as one line of points.jsonl, and never rewritten. The unit of a field stands at the end of its
// name. docs/reference/point-fields.md is made of these comments.
type Point struct {
	// Identity

	Identity

	// What was asked

	Asked

	// What was used

	Reached
	Path
	Machines
	Used

	// What a probe used and measured

	Probed

	// What was counted in the measurement period

	Counted

	// Latency of an operation

	// Latency counts from the intended send until the answer of the batch is complete. In a closed
	// loop, the intended send is the actual one. An unsent operation counts with its age at the end
	// of the period.
	Latency
	LatencyDetail

	// What crossed the network

	Traffic

	// What it cost

	Cost
	NeighbourWork
	Hashing

	// Workers and clients

	// ServerWorkers are the store's own counts of the measurement period. The list is empty if the
	// store reports none, or none that a client believes.
	ServerWorkers []ServerWorker `json:"server_workers,omitempty"`
	// Clients are the shares of the clients. Where several ran at once, the point sums their
	// counts, merges their histograms, and has the mean of all else.
	Clients []ClientShare `json:"clients,omitempty"`

	// Integrity and warnings

	// HlogBytes is the length of the histogram log. It is absent without a log, or from an older
	// build.
	HlogBytes  int64  `json:"hlog_bytes,omitempty"`
	HlogCRC32C string `json:"hlog_crc32c,omitempty"` // checksum of the histogram log
	// Warnings are the reasons to doubt this point. They stand beside it in tables and figures.
	Warnings Warnings `json:"warnings"`
	// Chain is the digest of this line, of all lines before it, and of the sweep and the testbed.
	// It is absent from an older build.
	Chain string `json:"chain,omitempty"`
}

// Identity tells points apart, and whether one counts.
type Identity struct {
	Schema int `json:"schema"` // version of this format, [SchemaVersion]
	// ID names the configuration and its repeat, and the histogram file.
	ID string `json:"id"`
	// "ok" or "failed"; the figures of a failed point are invalid
	Status string `json:"status"`
	Error  string `json:"error,omitempty"` // reason of a failure
}

// Asked is what the sweep asked for.
type Asked struct {
	// Measure is the kind of a probe, a point without a store: "memory", "network", "verbs",
	// "dma". It is absent if the point measures a store. A line of a probe leaves out all fields
	// that are empty.
	Measure string `json:"measure,omitempty"`
	// Settings are the values of the axes of [Point.Measure], by name.
	Settings  map[string]string `json:"settings,omitempty"`
	Store     string            `json:"store"`     // store, such as "mica"
	Placement string            `json:"placement"` // placement of clients and server, such as "CH-SH"
	// "off-path", "off-path-sf", "direct", "sm1" … "sm5"; see [Point.Cards]
	Submode string `json:"submode"`
	// packet filter on the path, such as "drop-client:192.0.2.1"
	Filter string `json:"filter,omitempty"`
	load.Load
	// RateShare is [load.Load.RateOps] as a share of the peak: the median throughput of the
	// repeats in a closed loop. It is absent if the rate does not follow from a peak.
	RateShare float64 `json:"rate_share,omitempty"`
	kvs.Setup         // what the sweep leaves open is as the ends told it
	// Neighbour is the work on the server's host beside the store: "cpu", "cache" or "memory". It
	// is absent without one.
	Neighbour string `json:"neighbour,omitempty"`
	// Build is the dpukv of server and clients in a sweep of two builds: its version, and the begin
	// of its digest on the machine that swept. It is absent in a sweep of one build.
	Build         string `json:"build,omitempty"`
	ServerThreads int    `json:"server_threads"` // threads of the server
	ClientThreads int    `json:"client_threads"` // threads of each client
	Repeat        int    `json:"repeat"`         // number of the repeat, from 1
}

// Reached is how the clients reached the server.
type Reached struct {
	// Attached tells that the server ran already: dpukv neither placed nor started it. The names of
	// placement and submode then say only where the clients ran.
	Attached  bool   `json:"attached,omitempty"`
	Transport string `json:"transport"` // "tcp", "tcp+tls", "unix" or "rdma"
	// TLS is the version and the cipher suite of TLS, and whether the server's certificate was
	// verified.
	TLS string `json:"tls,omitempty"`
	// ClusterNodes are the addresses of the servers that share the keys, of a store with a cluster.
	// Each is a worker of [Point.ServerWorkers].
	ClusterNodes []string `json:"cluster_nodes,omitempty"`
	// Provider is the verbs provider of an RDMA transport. If the ends differ, both are named:
	// "softroce to ibverbs".
	Provider string `json:"provider,omitempty"`
	// Emulated tells that software replaces a NIC or a machine at either end. The figures are not
	// those of the hardware.
	Emulated bool `json:"emulated,omitempty"`
	// RequestCheck names the checksum of HERD's requests of more than a cache line, where no device
	// promises that their last word arrives last. Empty: they need none.
	RequestCheck string `json:"request_check,omitempty"`
	// Protocol is the protocol in use, of a store that has several: "meta", "resp3".
	Protocol string `json:"protocol,omitempty"`
	// ServerCommand is the command line of the server, if its program is not dpukv.
	ServerCommand []string `json:"server_command,omitempty"`
	// EmulatedTestbed describes the emulation of the machines. All points of a testbed have the
	// same text, and such a point has [Point.Emulated] too.
	EmulatedTestbed string `json:"emulated_testbed,omitempty"`
}

// Path is the datapath of a DPU, and the evidence that the packets took it.
type Path struct {
	// Datapath is the short name of the DPU's datapath in an on-path submode.
	Datapath   string `json:"datapath,omitempty"`
	DatapathIs string `json:"datapath_is,omitempty"` // description of the datapath
	// Substitute describes the part that replaces the submode's own datapath.
	Substitute string `json:"substitute,omitempty"`
	// Evidence counts packets from the start of the warm-up to the end: packets that came to and
	// left the DPU's ports, and packets that the datapath itself counted. In submode off-path-sf,
	// it counts packets at the Arms' cores.
	Evidence map[string]uint64 `json:"evidence,omitempty"`
	// EvidenceCounters are the sources of [Point.Evidence] at the DPU's ports, by port: the command
	// and, on a BlueField, its counters.
	EvidenceCounters map[string]string `json:"evidence_counters,omitempty"`
	// PartialShare is the share of the packets at the DPU's ports that an eSwitch only recognised.
	// A CPU of the DPU forwarded them.
	PartialShare float64 `json:"partial_share,omitempty"`
	// Crossings compare the packets that both ends sent with those that an interface on the path
	// counted, over the same time.
	Crossings []Crossing `json:"crossings,omitempty"`
	// CarriedShare is the share of the sent packets that the datapath carried. It is the least
	// share of [Point.Crossings], times the share of the packets at the ports that the datapath
	// counted. Without crossings, it is the latter alone. Off-path, it is 0.
	CarriedShare float64 `json:"carried_share,omitempty"`
	// EvidenceNs is the time that [Point.Evidence] covers. It is longer than the measurement
	// period.
	EvidenceNs int64 `json:"evidence_ns,omitempty"`
	// ForwarderCPUNs is the CPU time of forwarding processes during [Point.EvidenceNs]. It is 0 if
	// the kernel or a card forwards.
	ForwarderCPUNs int64 `json:"forwarder_cpu_ns,omitempty"`
}

// Machines are those of the server and of the clients.
type Machines struct {
	// Cards are the BlueFields of the hosts of clients and server, with the modes that were read
	// before the point. A card that could not be read is in [Point.Warnings].
	Cards      []Card `json:"cards,omitempty"`
	ServerNode Node   `json:"server_node,omitzero"` // machine of the server
	// Machine is a digest over the identities of the machines of the server and of the clients. It
	// is absent if one of them is not known, and in older points.
	Machine string `json:"machine,omitempty"`
	// Hosts are the host names of the machines of [Point.Machine], each once, the server's first.
	Hosts []string `json:"hosts,omitempty"`
	// Source is the number of the run folder that the point comes from, from 1. It is absent
	// unless dpukv run merge wrote the folder.
	Source int `json:"source,omitempty"`
}

// Used is what server, clients, neighbour and halves had.
type Used struct {
	// memory pages of the items, kind and size: "hugetlb-2m", "thp-2m", "thp-512m", "4k", "64k"
	Pages       string  `json:"pages"`
	ServerCPUs  []int   `json:"server_cpus"`   // CPUs that the server's threads are pinned to
	ClientCPUs  []int   `json:"client_cpus"`   // CPUs that the clients' threads are pinned to
	OpsPerFrame float64 `json:"ops_per_frame"` // mean operations in a request frame
	// mean size of a request frame, as payload of the transport
	BytesPerFrame float64 `json:"bytes_per_frame"`
	// FramesPerWrite is the mean number of request frames in one write system call of a client. It
	// is 0 if the transport is not TCP.
	FramesPerWrite float64 `json:"frames_per_write,omitempty"`
	ServerVersion  string  `json:"server_version"` // version of the server
	ClientVersion  string  `json:"client_version"` // version of the client
	ServerAddr     string  `json:"server_addr"`    // address of the server's first worker
	// Builds are the digests of the binaries of server and clients, each once, in a sweep of two
	// builds. Two architectures have two digests.
	Builds []string `json:"builds,omitempty"`
	// NeighbourNode is the node of the neighbour: that of the store half on a host, else the
	// server's, or the host's of a server on a DPU.
	NeighbourNode string `json:"neighbour_node,omitempty"`
	// NeighbourCPUs are the CPUs of that node that the neighbour's threads are pinned to.
	NeighbourCPUs []int `json:"neighbour_cpus,omitempty"`
	// Lanes join the halves of a split server.
	Lanes *Lanes `json:"lanes,omitempty"`
	// ProxyLanes join a client to its proxy.
	ProxyLanes *Lanes `json:"proxy_lanes,omitempty"`
	// TraceFile is the trace that the clients replayed, the same for all. It is absent without one.
	TraceFile TraceFile `json:"trace_file,omitzero"`
	// PreloadHitRate is the share of the preloaded keys that the server had when asked for them.
	PreloadHitRate float64 `json:"preload_hit_rate"`
}

// TraceFile is what identifies a trace, and what it has.
type TraceFile struct {
	Bytes      int64  `json:"bytes"`              // size of the file
	SHA256     string `json:"sha256"`             // digest of the file
	Operations uint64 `json:"operations"`         // in the file
	Keys       uint64 `json:"keys"`               // in the file
	LeftOut    uint64 `json:"left_out,omitempty"` // operations of its source with no equal here
}

// Probed is what a probe used and measured.
type Probed struct {
	// Facts are what a probe used: "kernel": "avx2", "program": "iperf 3.12".
	Facts map[string]string `json:"facts,omitempty"`
	// ServerFacts are what the server of a probe used.
	ServerFacts map[string]string `json:"server_facts,omitempty"`
	// Figures are what a probe measured, by name. The unit stands at the end of a name.
	Figures map[string]float64 `json:"figures,omitempty"`
}

// Counted is what was counted in the measurement period.
type Counted struct {
	StartedAt  time.Time `json:"started_at"`  // start of the measurement period
	DurationNs int64     `json:"duration_ns"` // length of the measurement period
	// CoolDownNs is the time after the measurement period for which a client kept up its load, as
	// other clients still measured. It is the longest of all clients, and absent for a single one.
	CoolDownNs int64 `json:"cool_down_ns,omitempty"`
	// answered operations; in an open loop, those that were also due in the period
	Ops    uint64 `json:"ops"`
	Gets   uint64 `json:"gets"`   // answered GETs
	Hits   uint64 `json:"hits"`   // GETs that found their key
	Misses uint64 `json:"misses"` // GETs that did not find their key
	// HitRateInterval is a 95 % interval of the share of hits. It is absent if no GET missed, or
	// none hit, and from an older build.
	HitRateInterval HitRateInterval `json:"hit_rate_interval,omitzero"`
	// Fills are answered SETs of keys that a GET had missed. They are no operations of the load:
	// no other count and no latency but their own has them.
	Fills uint64 `json:"fills,omitempty"`
	// TTLOps are SETs and ADDs of a trace that had a time to live, of the whole load. A warning of
	// the kind "ttl" says where the items did not have it. It is absent if there were none.
	TTLOps uint64 `json:"ttl_ops,omitempty"`
	// ComparedGets are hits whose value a client thread compared with its own latest SET of the
	// key. It is absent if there were none, and from an older build.
	ComparedGets uint64 `json:"compared_gets,omitempty"`
	// VersionBytes is the memory of all clients for the versions of [Point.ComparedGets].
	VersionBytes uint64 `json:"version_bytes,omitempty"`
	// FollowedKeys is how many of a trace's keys have all their answers compared with those before:
	// all, or every second, fourth … of more than 4,194,304. It is absent without a trace, and from
	// an older build.
	FollowedKeys uint64 `json:"followed_keys,omitempty"`
	// SizelessMisses are misses of a trace that on_miss fill could not store: up to then, the trace
	// had not told the size of the key's value. It is absent if there were none, and from an older
	// build.
	SizelessMisses uint64 `json:"sizeless_misses,omitempty"`
	// HitValueBytes is the mean size of the values that GETs returned. It is present if values have
	// several sizes. With skewed keys it depends on the sizes of the most popular values.
	HitValueBytes float64 `json:"hit_value_bytes,omitempty"`
	Errors        uint64  `json:"errors"`   // answers that are wrong or report a failure
	Timeouts      uint64  `json:"timeouts"` // operations without an answer in time
	// Items are the GETs of a store whose clients read items by themselves. It is absent for all
	// others.
	Items *Items `json:"items_read,omitempty"`
	// requests sent again, over a transport that may lose packets
	Retries uint64 `json:"retries"`
	// open loop: operations due in the period, answered after it
	LateOps uint64 `json:"late_ops"`
	// open loop: operations due in the period, not sent by its end
	UnsentOps uint64 `json:"unsent_ops"`
	// UnansweredOps are those that a closed loop had in flight at the end of the period for longer
	// than any answer took. They count with that age in the latencies, as lower bounds. It is
	// absent if there are none, and from an older build.
	UnansweredOps uint64 `json:"unanswered_ops,omitempty"`
	// InFlightMean is how many operations were in flight in the mean: throughput × mean latency
	// (Little's law). It is absent in an open loop, and from an older build.
	InFlightMean float64 `json:"in_flight_mean,omitempty"`
	// InFlightShare is [Point.InFlightMean] over what the windows of all connections hold. A stall
	// over the begin of the period makes it more than 1.
	InFlightShare float64 `json:"in_flight_share,omitempty"`
	// ClientLag is the client's own delay of batches in an open loop: from the time at which a
	// batch was due until the client could send it. Waiting for a full window is not in it. Of
	// several clients, each figure is the largest. It is absent in a closed loop.
	ClientLag Lag `json:"client_lag,omitzero"`
	// Reconnects is how often client threads opened their connections anew; see
	// [load.Load.ReconnectEvery].
	Reconnects uint64 `json:"reconnects,omitempty"`
	// ReconnectMeanNs is the mean time of a reconnect, from the last answer until all connections
	// of the thread are open. In an open loop, operations that become due meanwhile wait.
	ReconnectMeanNs float64 `json:"reconnect_mean_ns,omitempty"`
	// ComputeMeanNs is the mean time of a compute in the measurement period. It is longer than
	// [load.Load.Compute] if interrupts, other programs or a slower clock delayed the work.
	ComputeMeanNs float64 `json:"compute_mean_ns,omitempty"`
	// Overlap is the share of the communication that a client thread hides behind its compute,
	// measured before the load, and before a neighbour starts. It is absent for clients that
	// compute nothing.
	Overlap       Overlap `json:"overlap,omitzero"`
	Evicted       uint64  `json:"evicted"`        // items that the server evicted, preload included
	ThroughputOps float64 `json:"throughput_ops"` // [Point.Ops] a second
}

// LatencyDetail is what else is known of the latency.
type LatencyDetail struct {
	// LatencyLowerBoundFrom is the lowest percentile of the latency that is only a lower bound,
	// for unsent operations: 50, 95, 99 or 99.9, or 100 for the maximum. All higher percentiles
	// are lower bounds, too. It is absent if there are none.
	LatencyLowerBoundFrom float64 `json:"latency_lower_bound_from,omitempty"`
	// Actual is the latency from the actual send.
	Actual Latency `json:"actual"`
	// 95 % intervals of the latency's percentiles, from five sections of the period; absent with
	// fewer than ten intervals in the histogram log, or from an older build
	LatencyInterval LatencyInterval `json:"latency_interval,omitzero"`
	// the same of the latency from the actual send
	ActualInterval LatencyInterval `json:"actual_interval,omitzero"`
	// ByOp has the latency by what an operation was and found. It is absent if all GETs hit and
	// there was no other operation, or only SETs.
	ByOp []OpLatency `json:"by_op,omitempty"`
	// Stages tell where the mean latency goes. They are absent if the server does not report the
	// time in it, and with fills.
	Stages Stages `json:"stages,omitzero"`
}

// Traffic is what crossed the network.
type Traffic struct {
	// ClientMoved counts traffic of the clients' sockets and device, from the first connection to
	// the end of the last session. It includes control connections, handshakes and the preload.
	ClientMoved Moved `json:"client_moved,omitzero"`
	// ClientMovedLoad is the part of [Point.ClientMoved] after the preload: warm-up, measurement
	// period, cool-down, drain, and the check of the hash share.
	ClientMovedLoad Moved `json:"client_moved_load,omitzero"`
	// ClientMovedWindow is the part of [Point.ClientMoved] in the measurement period.
	ClientMovedWindow Moved `json:"client_moved_window,omitzero"`
	// ServerMovedLoad counts traffic of the server's connections and device over the time of
	// [Point.ClientMovedLoad], by the kernel of its own node. It is absent for a server that ran
	// already, and for clients that reconnect.
	ServerMovedLoad Moved `json:"server_moved_load,omitzero"`
}

// Node is a testbed's machine.
type Node struct {
	Node       string `json:"node"`                 // name in the testbed
	Kind       string `json:"kind"`                 // "host" or "dpu"
	Generation string `json:"generation,omitempty"` // generation of a DPU: "bf1", "bf2", "bf3"
	// model of an emulated machine; absent for a real one
	Profile string `json:"profile,omitempty"`
}

// Card is a BlueField at one end of a point. The mode "separated" is off-path: host and Arm are
// peers. In the mode "dpu", all packets of the host pass the Arm's eSwitch. In the mode "nic", the
// Arm takes no part.
type Card struct {
	Host       string `json:"host"`                 // node of the host that the card sits in
	ReadOn     string `json:"read_on"`              // node that told the mode
	PCI        string `json:"pci"`                  // PCI address of the card on that node
	Generation string `json:"generation,omitempty"` // "bf1", "bf2", "bf3"
	Firmware   string `json:"firmware,omitempty"`   // version of the firmware
	Mode       string `json:"mode"`                 // mode at the time: "separated", "dpu", "nic"
	NextMode   string `json:"next_mode"`            // mode after the next power cycle
	// channels of each interface of the card there (ethtool -l): a core may work in each
	Channels map[string]int `json:"channels,omitempty"`
}

// ClientShare is one client's share of a point.
type ClientShare struct {
	Node
	CPUs          []int   `json:"cpus"`           // pinned CPUs of its threads
	Threads       int     `json:"threads"`        // threads of the client
	RateOps       float64 `json:"rate_ops"`       // operations offered a second; 0: closed loop
	Ops           uint64  `json:"ops"`            // answered operations
	ThroughputOps float64 `json:"throughput_ops"` // answered operations a second
	Latency
	CPUNsPerOp float64 `json:"cpu_ns_per_op"` // CPU time of the client process per operation
	// CPU time of its threads over the wall time of their CPUs
	CPUShare float64 `json:"cpu_share"`
	// BusyShare is the share of its CPUs' time for which the point's clients were busy: it, and
	// those that share a CPU with it, without spinning and compute. It is absent from older builds.
	BusyShare float64 `json:"busy_share,omitempty"`
	Lag       Lag     `json:"client_lag,omitzero"` // its own [Point.ClientLag]
	HashShare float64 `json:"hash_share"`          // share of its CPU time that hashes keys
	Moved     Moved   `json:"moved,omitzero"`      // its part of [Point.ClientMoved]
	MovedLoad Moved   `json:"moved_load,omitzero"` // its part of [Point.ClientMovedLoad]
}

// Overlap is the share of the communication that an application hides behind its compute, as OSU's
// micro-benchmarks define it: 100·(1 − (overall − compute) / comm), at least 0. Each time is a
// thread's median. Of several threads, each figure is the mean.
type Overlap struct {
	Percent float64 `json:"percent"` // share of the communication that the compute hides
	// CommNs is the time of one batch, sent and answered, alone in flight.
	CommNs    float64 `json:"comm_ns"`
	ComputeNs float64 `json:"compute_ns"` // time of a compute of about the same length, alone
	// OverallNs is the time of one batch with the compute between its send and its answers.
	OverallNs float64 `json:"overall_ns"`
}

// MeanOverlap returns the mean of the overlaps of several threads or clients.
func MeanOverlap(all []Overlap) (mean Overlap) {
	n := float64(len(all))
	for _, o := range all {
		mean.Percent += o.Percent / n
		mean.CommNs += o.CommNs / n
		mean.ComputeNs += o.ComputeNs / n
		mean.OverallNs += o.OverallNs / n
	}
	return mean
}

// Crossing compares the traffic that the ends of a load counted in one direction with the traffic
// that an interface on the path counted.
type Crossing struct {
	Way string `json:"way"` // direction: to server, to client
	At  string `json:"at"`  // the interface
	// MovedBytes is the TCP or UDP payload that certainly crossed, each byte once.
	MovedBytes   uint64 `json:"moved_bytes"`
	MovedPackets uint64 `json:"moved_packets"` // packets on the wire that carried the payload
	SeenBytes    uint64 `json:"seen_bytes"`    // bytes at the interface, with headers
	// SeenPackets counts packets as the interface does: one may be many on the wire.
	SeenPackets uint64 `json:"seen_packets"`
	// share of the moved traffic that the interface saw, at most 1
	Share float64 `json:"share"`
}

// SchemaVersion is the version of the JSON of a [Point].
const SchemaVersion = 1

// The values of Point.Status.
const (
	StatusOK     = "ok"
	StatusFailed = "failed"
)

// Latency is a distribution's figures, in nanoseconds.
type Latency struct {
	MeanNs float64 `json:"latency_mean_ns"` // mean
	P50Ns  int64   `json:"latency_p50_ns"`  // median
	P95Ns  int64   `json:"latency_p95_ns"`  // 95th percentile
	P99Ns  int64   `json:"latency_p99_ns"`  // 99th percentile
	P999Ns int64   `json:"latency_p999_ns"` // 99.9th percentile
	// 99.99th percentile; absent with fewer than ten batches beyond it, and in older points
	P9999Ns int64 `json:"latency_p9999_ns,omitempty"`
	MaxNs   int64 `json:"latency_max_ns"` // maximum
}

// LittlesLaw returns how many operations were in flight in the mean, fills included, from the
// figures of a point.
func (p *Point) LittlesLaw() float64 {
	inFlight := p.ThroughputOps * p.MeanNs
	if p.Fills > 0 {
		rate := float64(p.Fills) / time.Duration(p.DurationNs).Seconds()
		inFlight += rate * p.LatencyOfOp(TagFill).MeanNs
	}
	return inFlight / 1e9
}

// Lag is a distribution of delays, in nanoseconds.
type Lag struct {
	P50Ns  int64 `json:"p50_ns"`  // median
	P99Ns  int64 `json:"p99_ns"`  // 99th percentile
	P999Ns int64 `json:"p999_ns"` // 99.9th percentile
	MaxNs  int64 `json:"max_ns"`  // maximum
}

// Max returns the larger one of each figure.
func (l Lag) Max(o Lag) Lag {
	return Lag{
		max(l.P50Ns, o.P50Ns), max(l.P99Ns, o.P99Ns), max(l.P999Ns, o.P999Ns),
		max(l.MaxNs, o.MaxNs),
	}
}

// Lanes join two halves: see package verbs/mqueue.
type Lanes struct {
	// verbs provider: "shm", "softroce", "ibverbs"; both if the ends differ
	Provider  string `json:"provider"`
	Emulated  bool   `json:"emulated,omitempty"` // software replaces the device of an end
	Answers   string `json:"answers"`            // see [Point.Answers]
	Wait      string `json:"wait"`               // see [Point.Wait]
	Ordering  string `json:"ordering"`           // "low to high" or, where devices need it, "fenced"
	Lanes     int    `json:"lanes"`              // number of lanes of a server
	Slots     int    `json:"slots"`              // requests without an answer, at most, of a lane
	SlotBytes int    `json:"slot_bytes"`         // size of the largest request or answer
	Threads   int    `json:"threads"`            // threads of the store half or of the proxy
	CPUs      []int  `json:"cpus,omitempty"`     // CPUs that these are pinned to
}
