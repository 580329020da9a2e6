package compute

import (
	"errors"
	"math"
	"testing"

	"dpukv/results"
)

// TestPercent has values computed by hand from the definition of OSU's micro-benchmarks.
func TestPercent(t *testing.T) {
	for _, c := range []struct{ overall, compute, comm, want float64 }{
		{10, 10, 10, 100}, // all of it is hidden
		{20, 10, 10, 0},   // none: one after the other
		{15, 10, 10, 50},
		{12.5, 10, 10, 75},
		{12.5, 10, 5, 50},
		{25, 10, 10, 0},    // the two hinder each other: no negative overlap
		{9.5, 10, 10, 105}, // scatter of the times
		{10, 10, 0, 0},
	} {
		if got := Percent(c.overall, c.compute, c.comm); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("overall %v, compute %v, comm %v: got %v, want %v", c.overall, c.compute, c.comm, got,
				c.want)
		}
	}
}

// simThread is a thread on a clock of its own. Its batch needs the CPU, and then the network.
type simThread struct {
	nowNs, readyNs  int64
	cpuNs, awayNs   int64 // of a batch: its sending, and its way there and back
	stolenNs        int64 // that each compute loses to packets of a batch in flight
	sends, computes int
	failAt          int // the send that fails; 0: none
}

var errSend = errors.New("connection reset")

func (s *simThread) Send() error {
	if s.sends++; s.sends == s.failAt {
		return errSend
	}
	s.nowNs += s.cpuNs
	s.readyNs = s.nowNs + s.awayNs
	return nil
}

func (s *simThread) Await() error {
	s.nowNs = max(s.nowNs, s.readyNs)
	return nil
}

func (s *simThread) Do(ns int64) {
	s.computes++
	if s.readyNs > s.nowNs {
		s.nowNs += s.stolenNs
	}
	s.nowNs += ns
}

func (s *simThread) Now() int64 { return s.nowNs }

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		thread simThread
		want   results.Overlap
	}{
		{ // the way is hidden, the sending is not
			simThread{cpuNs: 2000, awayNs: 8000},
			results.Overlap{Percent: 80, CommNs: 10_000, ComputeNs: 10_000, OverallNs: 12_000},
		},
		{ // all of the batch needs the thread
			simThread{cpuNs: 10_000},
			results.Overlap{CommNs: 10_000, ComputeNs: 10_000, OverallNs: 20_000},
		},
		{ // what the kernel takes from the compute is communication
			simThread{awayNs: 10_000, stolenNs: 4000},
			results.Overlap{Percent: 60, CommNs: 10_000, ComputeNs: 10_000, OverallNs: 14_000},
		},
		{ // slow, so there are few rounds
			simThread{awayNs: 150e6},
			results.Overlap{Percent: 100, CommNs: 150e6, ComputeNs: 150e6, OverallNs: 150e6},
		},
	} {
		got, err := Measure(&c.thread)
		if err != nil || got != c.want {
			t.Errorf("found %+v, %v, want %+v", got, err, c.want)
		}
		if c.thread.nowNs > int64(firstTime+maxTime)+4*int64(c.want.OverallNs) {
			t.Errorf("it took %d ns", c.thread.nowNs)
		}
	}
}

func TestMeasureStopsAtAnError(t *testing.T) {
	for _, at := range []int{1, warmUps + 2, warmUps + firstRounds + 1, warmUps + firstRounds + 2} {
		if _, err := Measure(&simThread{awayNs: 100, failAt: at}); !errors.Is(err, errSend) {
			t.Errorf("send %d failed: found %v", at, err)
		}
	}
}
