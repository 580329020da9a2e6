package client

import (
	"strings"
	"testing"

	"dpukv/kvs"
)

// lying changes the counters of a fake server: of the samples before the preload, at the begin of the
// measurement period, and at its end.
type lying struct {
	*fakeRemote
	change func(sample uint64, s *kvs.Stats, was kvs.WorkerStats)
	was    kvs.WorkerStats // of the sample before
}

func (r *lying) Stats() (kvs.Stats, error) {
	s, err := r.fakeRemote.Stats()
	if err == nil {
		r.change(r.statsCalls, &s, r.was)
		r.was = s.Workers[0]
	}
	return s, err
}

// TestCounters: counters that fell, or lack operations, make no figure, and the point says why.
func TestCounters(t *testing.T) {
	const end = 3
	for name, c := range map[string]struct {
		change func(sample uint64, s *kvs.Stats, was kvs.WorkerStats)
		want   string // in a warning; "": the counters are believed
	}{
		"as they are": {func(uint64, *kvs.Stats, kvs.WorkerStats) {}, ""},
		"reset": {func(sample uint64, s *kvs.Stats, _ kvs.WorkerStats) {
			if sample == end {
				s.Workers[0].Ops = 10
			}
		}, "its operations from "},
		"reset before the period": {func(sample uint64, s *kvs.Stats, _ kvs.WorkerStats) {
			if sample == 1 {
				s.Workers[0].Evicted = 1
			}
		}, "its evictions from 1 to 0, so it was restarted, or its counters were reset"},
		"reset, and more than before since": {func(sample uint64, s *kvs.Stats, was kvs.WorkerStats) {
			if sample == end {
				s.Workers[0].Ops = was.Ops + 10
			}
		}, "it counted 10 operations while this client alone got "},
		"restarted": {func(sample uint64, s *kvs.Stats, _ kvs.WorkerStats) {
			if sample == end {
				s.CPUNs = 5
			}
		}, "its CPU time from "},
		"another number of workers": {func(sample uint64, s *kvs.Stats, _ kvs.WorkerStats) {
			if sample == end {
				s.Workers = append(s.Workers, s.Workers...)
			}
		}, "its threads' counters changed from 1 to 2"},
		"no count of SETs": {func(_ uint64, s *kvs.Stats, _ kvs.WorkerStats) {
			s.Workers[0].Ops = s.Workers[0].Gets
		}, "look for counters that were reset, or that this server does not have"},
		"others' operations, too": {func(_ uint64, s *kvs.Stats, _ kvs.WorkerStats) {
			s.Workers[0].Ops *= 3
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &lying{fakeRemote: newFakeRemote(), change: c.change}
			leakFree(t, r.fakeRemote)
			p := mustRun(t, r, smallLoad(t)).Point
			said := p.Warnings.String()
			known := p.ServerCPUNsPerOp > 0 && len(p.ServerWorkers) > 0 && len(p.Parts) > 0
			none := p.ServerCPUNsPerOp == 0 && len(p.ServerWorkers) == 0 && len(p.Parts) == 0 && p.Evicted == 0
			switch {
			case c.want == "" && (!known || strings.Contains(said, "not those of this load")):
				t.Errorf("found %v ns an operation, warnings: %s", p.ServerCPUNsPerOp, said)
			case c.want != "" && (!none || !strings.Contains(said, c.want)):
				t.Errorf("found %v ns an operation, warnings: %s\nwant none, and %q", p.ServerCPUNsPerOp, said, c.want)
			}
		})
	}
}
