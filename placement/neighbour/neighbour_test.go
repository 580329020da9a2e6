package neighbour

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

// TestKinds: each kind counts its work and its CPU time, and ends.
func TestKinds(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			goroutines := runtime.NumGoroutine()
			n := must.Get(Start(kind, allowed))(t)
			before := n.Count()
			after := before
			within(t, "it works", func() bool {
				after = n.Count()
				return after.Ops > before.Ops && after.CPUNs > before.CPUNs
			})
			must.Do(t, n.Stop())
			if ended := n.Count(); ended.Ops < after.Ops || n.Count().Ops != ended.Ops {
				t.Errorf("%d operations, then %d, and more after its end", after.Ops, ended.Ops)
			}
			within(t, "its threads end", func() bool { return runtime.NumGoroutine() <= goroutines })
		})
	}
}

// within waits until something happens, and fails the test if it does not within a minute.
func within(t *testing.T, what string, happens func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !happens(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	for _, c := range []struct {
		kind string
		cpus []int
		says string
	}{
		{"disk", []int{0}, `neighbour: found "disk", allowed: cpu, cache, memory`},
		{None, []int{0}, `found "none"`},
		{CPU, nil, "found no CPU"},
		{CPU, []int{1 << 12}, "neighbour cpu on CPU 4096"},
		{Memory, []int{1 << 12}, "neighbour memory on CPU 4096"},
	} {
		n, err := Start(c.kind, c.cpus)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s on %v: %v; want %q", c.kind, c.cpus, err, c.says)
		}
		if n != nil {
			t.Errorf("%s on %v: it works", c.kind, c.cpus)
		}
	}
}

func TestRatesOf(t *testing.T) {
	before := Count{AtNs: 1e9, Ops: 100, CPUNs: 5e8, Switches: 7}
	after := Count{AtNs: 3e9, Ops: 1100, CPUNs: 2e9 + 5e8, Switches: 27}
	for _, c := range []struct {
		kind string
		want Rates
	}{
		{CPU, Rates{Ops: 500, CPUShare: 0.5, Switches: 10}},
		{Memory, Rates{Ops: 500, Bytes: 64000, CPUShare: 0.5, Switches: 10}},
	} {
		if got := RatesOf(c.kind, 2, &before, &after); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.kind, got, c.want)
		}
	}
	if got := RatesOf(CPU, 1, &after, &after); got != (Rates{}) {
		t.Errorf("over no time: %+v", got)
	}
}

// TestPieces: the walks stay within buffers of one piece and of several.
func TestPieces(t *testing.T) {
	b := must.Get(allocate(Memory, []int{0}))(t)
	defer func() { must.Do(t, b.Free()) }()
	if n := len(b.floats()) / 2 % (lines * lineWords); n != 0 {
		t.Errorf("%d words of a half are no piece", n)
	}
	if n := len(b.words()) % (lines * lineWords); n != 0 {
		t.Errorf("%d words are no piece", n)
	}
}
