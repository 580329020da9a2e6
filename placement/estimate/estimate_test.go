package estimate

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
)

const nodes = `
nodes:
  hostA: {kind: host, via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: bf2}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: bf2}
client_side: [hostA, dpuA]
server_side: [hostB, dpuB]
`

func pointsOf(t *testing.T, text string) ([]sweep.Point, *testbed.Testbed) {
	t.Helper()
	s := must.Get(sweep.Parse("sweep.yaml", []byte(text)))(t)
	bed := must.Get(testbed.Parse("testbed.yaml", []byte(nodes)))(t)
	return s.Points(), &bed
}

const sweepText = `
store: [mica, herd]
placement: [CH-SH, CDH-SH]
get_ratio: [1, 0.5]
keys: 100000
client_threads: [1, 2]
duration: 1s
warmup: 500ms
repeats: 3
`

// overheadOf is the overhead of a point on a machine that is slower than the prior's: differently
// so for each store and placement.
func overheadOf(pt *sweep.Point) time.Duration {
	took := 2 * time.Second
	if pt.Store == "herd" {
		took *= 4
	}
	if pt.Placement == "CDH-SH" {
		took *= 3
	}
	return took + time.Duration(pt.ClientThreads)*time.Second
}

// TestLearns: after one round, the rest of the sweep is known, whatever the prior was.
func TestLearns(t *testing.T) {
	points, bed := pointsOf(t, sweepText)
	e := New(points, bed)
	var left time.Duration
	for i := range points {
		left += loadOf(&points[i]) + overheadOf(&points[i])
	}
	for i := range points {
		took := loadOf(&points[i]) + overheadOf(&points[i])
		e.Finished(&points[i], took)
		left -= took
		within := 0.30
		if i >= len(points)/3 {
			within = 1e-6
		}
		// The first points stand for the others before each store and placement had one.
		if i >= len(points)/6 && (e.Left() < time.Duration((1-within)*float64(left)) ||
			e.Left() > time.Duration((1+within)*float64(left))) {
			t.Errorf("after %d of %d points: %v left, found %v", i+1, len(points), left, e.Left())
		}
	}
	if e.Left() != 0 {
		t.Errorf("at the end %v are left", e.Left())
	}
}

// TestPrior: before the first point, the estimate has the load and an overhead, by what it is for.
func TestPrior(t *testing.T) {
	overhead := func(text string) time.Duration {
		points, bed := pointsOf(t, text+"\nkeys: 100000\nserver_threads: 1\nclient_threads: 1\n"+
			"get_ratio: 1\nrepeats: 1\nduration: 1s\nwarmup: 500ms\n")
		e := New(points, bed)
		load := time.Duration(len(points)) * 1500 * time.Millisecond
		if e.Load() != load || e.Left() != load+e.Overhead() {
			t.Errorf("%s: found %v load and %v in all", text, e.Load(), e.Left())
		}
		return e.Overhead()
	}
	for name, ordered := range map[string][]string{
		"transport": {"store: mica", "store: herd"},
		"clients":   {"placement: CH-SH", "placement: CDH-SH"},
		"cores":     {"placement: CH-SH", "placement: CH-SD"},
		"compute":   {"placement: CH-SH", "placement: CH-SH\ncompute: 5us"},
		"points":    {"placement: CH-SH", "placement: [CH-SH, CD-SH]"},
	} {
		if a, b := overhead(ordered[0]), overhead(ordered[1]); a <= 0 || a >= b {
			t.Errorf("%s: found %v and %v, want the second longer", name, a, b)
		}
	}
}

// TestDropped: points that failed, or are not tried, take their time along and teach nothing.
func TestDropped(t *testing.T) {
	points, bed := pointsOf(t, sweepText)
	e := New(points, bed)
	before := e.Left()
	e.Dropped(&points[0])
	one := New(points[:1], bed)
	if e.Left() != before-one.Left() {
		t.Errorf("found %v, want %v less than %v", e.Left(), one.Left(), before)
	}
	other := points[1]
	other.Keys = 7 // no point of this sweep
	e.Dropped(&other)
	if e.Left() != before-one.Left() {
		t.Errorf("a point of no group changed the estimate to %v", e.Left())
	}
}

// TestBudgets: the built-in sweeps are as short as their descriptions say.
func TestBudgets(t *testing.T) {
	bed := testbed.Local()
	d, q := sweep.Default(), sweep.Quick()
	if sum := Fixed(&bed) + New(d.Points(), &bed).Left(); sum > 240*time.Second {
		t.Errorf("the default sweep is estimated at %v, want at most four minutes", sum)
	}
	if sum := Fixed(&bed) + New(q.Points(), &bed).Left(); len(q.Points()) < 8 || sum > 25*time.Second {
		t.Errorf("the quick sweep has %d points in about %v, want at least 8 in well below 30 s", len(q.Points()), sum)
	}
}
