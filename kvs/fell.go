package kvs

import "fmt"

// counter is a count since a server's start, as two samples have it.
type counter struct {
	name     string
	was, now uint64
}

// Fell describes a counter that is lower than it was in an earlier sample; "": there is none. A
// server that has restarted has such counters, and so has one whose counters somebody has reset.
func (s *Stats) Fell(was *Stats) string {
	if s.CPUNs < was.CPUNs {
		return fmt.Sprintf("its CPU time from %d to %d ns", was.CPUNs, s.CPUNs)
	}
	if len(s.Workers) != len(was.Workers) {
		return fmt.Sprintf("its threads' counters changed from %d to %d", len(was.Workers),
			len(s.Workers))
	}
	for i := range s.Workers {
		for _, c := range s.Workers[i].counters(&was.Workers[i]) {
			if c.now < c.was {
				return fmt.Sprintf("its %s from %d to %d", c.name, c.was, c.now)
			}
		}
	}
	return ""
}

// counters are those of a worker that never fall.
func (w *WorkerStats) counters(was *WorkerStats) []counter {
	return []counter{
		{"operations", was.Ops, w.Ops},
		{"GETs", was.Gets, w.Gets},
		{"hits", was.Hits, w.Hits},
		{"batches", was.Frames, w.Frames},
		{"evictions", was.Evicted, w.Evicted},
		{"repeats", was.Repeats, w.Repeats},
		{"residence", was.ResidenceNs, w.ResidenceNs},
		{"CPU time", uint64(was.CPUNs), uint64(w.CPUNs)},
	}
}
