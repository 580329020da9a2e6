package compute

import "testing"

// TestLoopsDoTheWork: the same time is the same number of units, whatever happens meanwhile.
func TestLoopsDoTheWork(t *testing.T) {
	unit := func(x uint64) uint64 {
		x ^= x << 13
		x ^= x >> 7
		return x ^ x<<17
	}
	for _, c := range []struct {
		ns    int64
		units int
	}{{0, 1}, {1, 1}, {2, 1}, {3, 2}, {400, 200}} {
		l, want := Loop{unitNs: 2, state: 1}, uint64(1)
		for range c.units {
			want = unit(want)
		}
		if l.Do(c.ns); l.state != want {
			t.Errorf("%d ns: found another state than that of %d units", c.ns, c.units)
		}
	}
}

// TestCalibrate: a unit has a positive time, and no work allocates.
func TestCalibrate(t *testing.T) {
	l := Calibrate()
	if l.unitNs <= 0 || l.state == 1 {
		t.Errorf("found %+v", l)
	}
	if n := testing.AllocsPerRun(100, func() { l.Do(1000) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
