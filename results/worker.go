package results

// ServerWorker is what one worker of the server did in the measurement period, by its own count.
type ServerWorker struct {
	Worker int    `json:"worker"`
	Ops    uint64 `json:"ops"`
	Gets   uint64 `json:"gets"`
	Hits   uint64 `json:"hits"`
	// Batches are the request frames (MICA) or passes over the request region (HERD) that had
	// any operation.
	Batches uint64 `json:"batches"`
	Evicted uint64 `json:"evicted"`
	Repeats uint64 `json:"repeats,omitempty"` // requests that came again
	CPUNs   int64  `json:"cpu_ns"`            // of the worker's thread
	// CPUShare is CPUNs over the time between the two looks at the server. A worker that polls
	// is near 1 whatever it does.
	CPUShare float64 `json:"cpu_share"`
}

// OpsPerBatch is how many operations the worker answered at once, 0 if it answered none.
func (w *ServerWorker) OpsPerBatch() float64 {
	if w.Batches == 0 {
		return 0
	}
	return float64(w.Ops) / float64(w.Batches)
}
