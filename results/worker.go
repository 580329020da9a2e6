package results

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
	CPUNs       int64   `json:"cpu_ns"`            // CPU time of the worker's thread
	// CPUShare is the CPU time over the wall time between two readings. A worker that polls is near
	// 1 at any load.
	CPUShare float64 `json:"cpu_share"`
}

// OpsPerBatch is the worker's mean number of operations a batch, or 0 if it answered none.
func (w *ServerWorker) OpsPerBatch() float64 {
	if w.Batches == 0 {
		return 0
	}
	return float64(w.Ops) / float64(w.Batches)
}
