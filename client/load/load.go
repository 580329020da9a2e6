package load

import (
	"fmt"
	"time"
)

// Load is what is asked of a load: the operations, and how they are offered. The JSON names are
// those of a point's fields. Each field has a row in the table of [Fields].
type Load struct {
	Workload
	Batch       int     `json:"batch"`       // operations a batch
	Window      int     `json:"window"`      // batches in flight a connection
	Connections int     `json:"connections"` // of a client thread to each server worker
	RateOps     float64 `json:"rate_ops"`    // operations offered a second; 0: closed loop
	Hash        string  `json:"hash"`        // of keys, by the client; "none": a server that wants none
	// Warmup is the time under load before the measurement period.
	Warmup time.Duration `json:"warmup_ns"`
}

// Workload says which operations are done on which keys.
type Workload struct {
	GetRatio   float64 `json:"get_ratio"` // share of GETs; the rest are SETs
	Dist       Dist    `json:"dist"`
	Keys       int     `json:"keys"` // different keys, all preloaded
	KeyBytes   int     `json:"key_bytes"`
	ValueBytes int     `json:"value_bytes"`
	// Seed decides the sequence of operations of each thread.
	Seed uint64 `json:"seed"`
}

// OpenLoop reports whether the load follows a schedule of its own.
func (l *Load) OpenLoop() bool { return l.RateOps > 0 }

// Validate reports the first field with a value out of its range, and fields that contradict each
// other.
func (l *Load) Validate() error {
	for i := range fields {
		if err := fields[i].check(l); err != nil {
			return err
		}
	}
	if l.KeyBytes < 8 && uint64(l.Keys) > 1<<(8*l.KeyBytes) {
		return fmt.Errorf("keys is %d, but key_bytes %d allows only %d different keys: "+
			"ask for longer keys or fewer", l.Keys, l.KeyBytes, 1<<(8*l.KeyBytes))
	}
	return nil
}
