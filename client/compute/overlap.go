package compute

import (
	"time"

	"dpukv/internal/sample"
	"dpukv/results"
)

const (
	// warmUps are the first rounds, which don't count.
	warmUps = 16
	// firstRounds find the time of a batch, which the compute should take.
	firstRounds = 101
	// maxRounds are of each of the three times.
	maxRounds = 1001
	// firstTime and maxTime end the rounds of slow stores.
	firstTime = 100 * time.Millisecond
	maxTime   = 400 * time.Millisecond
)

// Thread is a load thread with nothing in flight.
type Thread interface {
	Send() error  // sends one batch
	Await() error // waits until all of it is answered
	Do(ns int64)  // does the work of so many nanoseconds
	Now() int64   // the monotonic clock
}

// Percent returns the overlap by the definition of OSU's micro-benchmarks. The scatter of the times
// can take it a little above 100.
func Percent(overallNs, computeNs, commNs float64) float64 {
	if commNs <= 0 {
		return 0
	}
	return max(0, 100*(1-(overallNs-computeNs)/commNs))
}

// Measure measures a thread's overlap. It takes about half a second at most, and one round of a
// store that is slower.
func Measure(t Thread) (results.Overlap, error) {
	m := measurement{Thread: t}
	if err := m.first(); err != nil {
		return results.Overlap{}, err
	}
	workNs := sample.Median(m.comm)
	m.comm = m.comm[:0]
	for end := t.Now() + int64(maxTime); len(m.comm) < maxRounds; {
		if err := m.round(workNs); err != nil {
			return results.Overlap{}, err
		}
		if t.Now() >= end {
			break
		}
	}
	o := results.Overlap{
		CommNs: float64(sample.Median(m.comm)), ComputeNs: float64(sample.Median(m.compute)),
		OverallNs: float64(sample.Median(m.overall)),
	}
	o.Percent = Percent(o.OverallNs, o.ComputeNs, o.CommNs)
	return o, nil
}

// measurement has the times of the rounds so far.
type measurement struct {
	Thread
	comm, compute, overall []int64
}

// first warms up, and finds out how long a batch takes.
func (m *measurement) first() error {
	end := m.Now() + int64(firstTime)
	for i := range warmUps + firstRounds {
		took, err := m.batch(0)
		if err != nil {
			return err
		}
		over := m.Now() >= end
		if i >= warmUps || over {
			m.comm = append(m.comm, took)
		}
		if over {
			return nil
		}
	}
	return nil
}

// round takes each of the three times once.
func (m *measurement) round(workNs int64) error {
	comm, err := m.batch(0)
	if err != nil {
		return err
	}
	begin := m.Now()
	m.Do(workNs)
	compute := m.Now() - begin
	overall, err := m.batch(workNs)
	if err != nil {
		return err
	}
	m.comm = append(m.comm, comm)
	m.compute = append(m.compute, compute)
	m.overall = append(m.overall, overall)
	return nil
}

// batch returns the time of one batch with work meanwhile.
func (m *measurement) batch(workNs int64) (int64, error) {
	begin := m.Now()
	if err := m.Send(); err != nil {
		return 0, err
	}
	if workNs > 0 {
		m.Do(workNs)
	}
	err := m.Await()
	return m.Now() - begin, err
}
