package dma

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/probe"
)

// TestMain: the far region stays at its least size. That of a cache of 260 MiB takes 2 GiB.
func TestMain(m *testing.M) {
	lastLevel = func() int { return 0 }
	m.Run()
}

// rigged is an engine on a clock of its own. A submission takes 10 ns. A copy takes copyNs from the
// completion before it, or from its submission, whichever is later.
type rigged struct {
	clock, free, copyNs int64
	ends                []int64
	most                int // in flight at a time
}

func (r *rigged) now() int64 { return r.clock }

func (r *rigged) post(uint64) error {
	r.clock += 10
	r.free = max(r.free, r.clock) + r.copyNs
	r.ends = append(r.ends, r.free)
	r.most = max(r.most, len(r.ends))
	return nil
}

// reap polls: a poll takes 1 ns.
func (r *rigged) reap() (n int, err error) {
	r.clock++
	for n < len(r.ends) && r.ends[n] <= r.clock {
		n++
	}
	r.ends = r.ends[n:]
	return n, nil
}

func (r *rigged) describe(*probe.Outcome) {}
func (r *rigged) close() error            { return nil }

// TestClockStopsAtCompletion: a latency has the copy in it, and not only its submission.
func TestClockStopsAtCompletion(t *testing.T) {
	for _, op := range []string{read, write} {
		r := &rigged{copyNs: 500}
		s := probe.Settings("test=latency engine=cpu op=" + op + " completion=poll bytes=64")
		o := must.Get(newLoop(r, s, r.now).measure(&probe.Task{Settings: s, Duration: 100 * time.Microsecond}))(t)
		if got := o.Figures["mean_latency_ns"]; got != 510 {
			t.Errorf("%s: found a mean of %v ns, want 510: 10 for the submission, 500 for the copy", op, got)
		}
		if len(o.Intervals) != 1 || o.Intervals[0].Histogram.TotalCount() != 197 {
			t.Errorf("%s: found %+v, want one histogram of 197 copies", op, o.Intervals)
		}
	}
}

// TestThroughputCountsCompletions: the batch is in flight, and the period ends with its last copy.
func TestThroughputCountsCompletions(t *testing.T) {
	r := &rigged{copyNs: 100}
	s := probe.Settings("test=throughput engine=cpu op=write completion=poll bytes=1000 batch=16")
	o := must.Get(newLoop(r, s, r.now).measure(&probe.Task{Settings: s, Duration: time.Millisecond}))(t)
	if r.most != 16 || len(r.ends) != 0 {
		t.Errorf("found %d in flight at most and %d at the end, want 16 and 0", r.most, len(r.ends))
	}
	// 1,000 B each 100 ns; the first submission adds 10 ns to the period.
	if got := o.Figures["bytes_per_s"]; got > 1e10 || got < 0.999e10 {
		t.Errorf("found %v bytes/s, want just below 1e10", got)
	}
}

// deaf is an engine that tells of completions and copies nothing.
type deaf struct{ copier }

func (d *deaf) post(uint64) error { d.posted++; return nil }

func TestProve(t *testing.T) {
	m := newTestMemory(t, 64)
	task := &probe.Task{Settings: "test=latency engine=cpu op=read completion=poll bytes=64"}
	must.Do(t, prove(&copier{memory: m, op: read}, m, task))
	if err := prove(&deaf{}, m, task); err == nil || !strings.Contains(err.Error(), "found other bytes") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func newTestMemory(t *testing.T, bytes int) *memory {
	t.Helper()
	m := must.Get(newMemory(bytes))(t)
	t.Cleanup(func() {
		if err := m.free(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// TestFarBytes: the far region is at least four times the cache.
func TestFarBytes(t *testing.T) {
	defer func(was func() int) { lastLevel = was }(lastLevel)
	lastLevel = func() int { return 100 << 20 }
	if got := farBytes(64); got < 400<<20 {
		t.Errorf("found %d B", got)
	}
}

// TestWalk meets each place of the far region once, and no cache line twice.
func TestWalk(t *testing.T) {
	for _, bytes := range []int{2, 65, maxBytes} {
		m := newTestMemory(t, bytes)
		met := make([]bool, m.mask+1)
		for i := range m.mask + 1 {
			place := m.at(i)
			line := (cap(m.far) - cap(place)) / m.step
			if len(place) != bytes || met[line] {
				t.Fatalf("%d B: copy %d has %d B, met before: %v", bytes, i, len(place), met[line])
			}
			met[line] = true
		}
		if m.step%cacheLine != 0 || len(m.far) < leastFar || len(met)*m.step != len(m.far) {
			t.Errorf("%d B: step %d, %d places in %d B", bytes, m.step, len(met), len(m.far))
		}
	}
}

// measureOnce measures a few milliseconds. It reports whether the measurement said that it began.
func measureOnce(t *testing.T, s probe.Settings) (o *probe.Outcome, began bool) {
	t.Helper()
	o, err := Kind.Measure(t.Context(), &probe.Task{
		Settings: s, Duration: 5 * time.Millisecond, Warmup: time.Millisecond, Began: func() { began = true },
	})
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return o, began
}

// TestMeasure runs both completions, directions and tests with real copies.
func TestMeasure(t *testing.T) {
	all := Kind.All(map[string][]string{
		"op": {read, write}, "completion": {poll, event}, "bytes": {"2", "4096"}, "batch": {"64"},
	})
	for _, s := range all {
		main := "bytes_per_s"
		if s.Get("test") == latency {
			main = "p50_latency_ns"
		}
		o, began := measureOnce(t, s)
		for range 20 { // a busy machine may give the thread no CPU for a while
			if o.Figures[main] > 0 {
				break
			}
			o, began = measureOnce(t, s)
		}
		if o.Figures[main] <= 0 || !began || o.Facts["copied_by"] != "cpu copy" || len(o.Warnings) == 0 {
			t.Errorf("%s: found %+v", s, o)
		}
		if _, ok := o.Figures["core_share"]; !ok || len(o.Intervals) > 1 {
			t.Errorf("%s: found %+v", s, o.Figures)
		}
	}
}

func TestMeasureEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Kind.Measure(ctx, &probe.Task{
		Settings: "test=latency engine=cpu op=write completion=event bytes=64", Duration: time.Hour,
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("found %v", err)
	}
}

func TestEventNeedsTwoCPUs(t *testing.T) {
	_, err := Kind.Measure(t.Context(), &probe.Task{
		Settings: "test=latency engine=cpu op=write completion=event bytes=64", CPUs: []int{0},
		Duration: time.Millisecond,
	})
	if !errors.Is(err, errOneCPU) {
		t.Errorf("found %v", err)
	}
}

// TestNoAllocation: a copy allocates nothing.
func TestNoAllocation(t *testing.T) {
	e := &copier{memory: newTestMemory(t, 64), op: write}
	s := probe.Settings("test=throughput engine=cpu op=write completion=poll bytes=64 batch=16")
	r := &rigged{}
	l := newLoop(e, s, func() int64 { r.clock += 100; return r.clock })
	if n := testing.AllocsPerRun(10, func() { _, _ = l.run(r.clock+10_000, func(int64) {}) }); n > 0 {
		t.Errorf("found %v allocations", n)
	}
}

// TestStarved: a thread that polls needs its whole CPU. One that waits for events does not.
func TestStarved(t *testing.T) {
	m := newTestMemory(t, 64)
	for completion, want := range map[string]bool{poll: true, event: false} {
		s := probe.Settings("test=throughput engine=cpu op=write completion=" + completion + " bytes=64 batch=16")
		o := &probe.Outcome{Figures: map[string]float64{"core_share": 0.5}, Facts: map[string]string{}}
		r := &rigged{}
		newLoop(r, s, r.now).describe(o, &probe.Task{Settings: s}, m)
		if got := strings.Contains(strings.Join(o.Warnings, "\n"), "had 50 % of a CPU"); got != want {
			t.Errorf("%s: found %q", completion, o.Warnings)
		}
	}
}
