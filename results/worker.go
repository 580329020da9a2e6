package results

import "dpukv/internal/cpu"

// ServerWorker is the work of one server worker in the measurement period, by its own count.
type ServerWorker struct {
	Worker int    `json:"worker"` // number of the worker, from 0
	Ops    uint64 `json:"ops"`    // answered operations
	Gets   uint64 `json:"gets"`   // answered GETs
	Hits   uint64 `json:"hits"`   // GETs that found their key
	// Batches are the request frames (MICA), or the passes over the request region (HERD), with at
	// least one operation.
	Batches uint64 `json:"batches"`
	// ResidenceNs is the mean [Stages.ServerResidenceNs] of its operations.
	ResidenceNs float64 `json:"residence_ns,omitempty"`
	Evicted     uint64  `json:"evicted"`           // evicted items
	Repeats     uint64  `json:"repeats,omitempty"` // requests that came again
	// CPUNs is the CPU time of the worker's thread. With several [ServerWorker.Threads],
	// it is that of the server process.
	CPUNs int64 `json:"cpu_ns"`
	// CPUShare is the CPU time over the wall time between two readings. A worker that polls is near
	// 1 at any load. [ServerWorker.CPUShareBy] says whose time it is.
	CPUShare float64 `json:"cpu_share"`
	// Threads is the number of threads that the counts sum up. It is 0 for a worker of one thread.
	// Memcached and Redis count all their threads together.
	Threads int `json:"threads,omitempty"`
	// CPUShareBy is "busiest thread", read beside the counters, or "busiest thread, over the load",
	// warm-up and drain included. "mean of the threads" hides a busy one. It is absent for a worker
	// of one thread, and in older points, which have the sum over the threads.
	CPUShareBy string `json:"cpu_share_by,omitempty"`
}

// The values of [ServerWorker.CPUShareBy].
const (
	ByBusiestThread = "busiest thread"
	ByBusiestInLoad = "busiest thread, over the load"
	ByMeanOfThreads = "mean of the threads"
)

// ServerPinning is [Point.Pinning] of the server. It is empty for a server that ran already, whose
// CPUs are not known.
func (p *Point) ServerPinning() string {
	if p.IsAttached() && len(p.ServerCPUs) == 0 {
		return ""
	}
	return p.Pinning(p.ServerCPUs)
}

// Pinning tells which of these CPUs the threads of one end were pinned to. A failed point may have
// ended before its threads were pinned; then Pinning is empty.
func (p *Point) Pinning(cpus []int) string {
	switch {
	case len(cpus) > 1:
		return "CPUs " + cpu.FormatList(cpus)
	case len(cpus) == 1:
		return "CPU " + cpu.FormatList(cpus)
	case p.Status == StatusOK:
		return "not pinned"
	}
	return ""
}
