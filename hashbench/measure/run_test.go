package measure

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func lastCPU(t *testing.T) int {
	t.Helper()
	allowed := must.Get(cpu.Allowed())(t)
	return allowed[len(allowed)-1]
}

func named(name string, c Contender) Contender {
	c.Subject = result.Subject{Function: name}
	return c
}

func function(name string, h func([]byte) uint64) Contender {
	c := named(name, contender(hashbench.Native{H64: h}))
	c.Loop = &oneWord
	return c
}

func run1(t *testing.T, cfg Config) map[string]result.Result {
	t.Helper()
	if testing.Short() {
		t.Skip("measures")
	}
	cfg.CPU, cfg.Seed = lastCPU(t), 1
	r := must.Get(Run(context.Background(), cfg))(t)
	for _, o := range r.Overheads {
		t.Logf("%+v", o)
	}
	found := map[string]result.Result{}
	for _, x := range r.Results {
		t.Logf("%s, %s: %+v", x.Function, x.Case, x.Ns)
		found[x.Function] = x
	}
	return found
}

// chain32 has no loop of its own, like chain16, which it calls.
//
//go:noinline
func chain32(key []byte) uint64 {
	h, m := chain16(key), multiplier
	return h * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m
}

// chainOf is a deliberately slow function of n multiplications. Each needs the product of the last.
func chainOf(n int) func([]byte) uint64 {
	return func(key []byte) uint64 {
		h, m := place(key), multiplier
		for range n {
			h *= m
		}
		return h
	}
}

// multiplications is the yardstick: the latency of one multiplication, from a plain loop of them
// without calls.
func multiplications(_ *Input, calls int) (int64, error) {
	start := cpu.ThreadNs()
	h, m := uint64(3), multiplier
	for range calls {
		h *= m
	}
	runtime.KeepAlive(h)
	return cpu.ThreadNs() - start, nil
}

// least is the fastest of a function's rounds, because every disturbance makes a round slower.
func least(r result.Result) float64 { return slices.Min(r.RoundsNs) - r.OverheadNs }

// TestSlowFunction: a chain of n multiplications takes n times as long as one. A clock that changes
// its rate within a run can hide that, so a length fails that is wrong in three runs.
func TestSlowFunction(t *testing.T) {
	lengths := []int{32, 64, 256}
	cfg := Config{
		Contenders: []Contender{{Subject: result.Subject{Function: "yardstick"}, Round: multiplications}},
		Cases:      []result.Case{result.Fixed(result.Latency, 16)},
		Rounds:     15, Duration: 400 * time.Millisecond,
	}
	for _, n := range lengths {
		cfg.Contenders = append(cfg.Contenders, function(fmt.Sprint(n), chainOf(n)))
	}
	right := make(map[int]bool)
	for run := 1; ; run++ {
		found := run1(t, cfg)
		for _, n := range lengths {
			got := least(found[fmt.Sprint(n)]) / least(found["yardstick"])
			t.Logf("run %d: %d dependent multiplications are measured as %.1f times one", run, n, got)
			if math.Abs(got-float64(n)) <= 0.1*float64(n) {
				right[n] = true
			}
		}
		if len(right) == len(lengths) {
			return
		}
		if run == runs {
			t.Fatal("a chain is not as long as its multiplications")
		}
	}
}

// runs is how many runs must fail for a test to fail.
const runs = 3

// TestTwoNames: one function under two names is reported equal, and one with four more
// multiplications is not. In one run of some hundred, 95 % intervals of the same time miss each
// other. So it takes three runs in a row to fail.
func TestTwoNames(t *testing.T) {
	cfg := Config{
		Contenders: []Contender{function("one", chain16), function("other", chain16), function("more", chainOf(20))},
		Cases:      []result.Case{result.Fixed(result.Latency, 16)},
		Rounds:     25, Duration: 600 * time.Millisecond,
	}
	for run := 1; ; run++ {
		found := run1(t, cfg)
		one, other, more := found["one"].Ns, found["other"].Ns, found["more"].Ns
		if one.Touches(other) && !one.Touches(more) {
			return
		}
		t.Logf("run %d: 16 multiplications take %+v and %+v, 20 take %+v", run, one, other, more)
		if run == runs {
			t.Fatal("the same function is told apart, or another one is not")
		}
	}
}

// TestThroughputDoubles: independent calls of twice as many multiplications are measured as about
// twice as long. The loop is in the shorter ones too, and processors overlap calls by different
// shares, so "about" is wide.
func TestThroughputDoubles(t *testing.T) {
	found := run1(t, Config{
		Contenders: []Contender{
			function("8", chain8), function("16", chain16), function("32", chain32),
		},
		Cases:  []result.Case{result.Fixed(result.Throughput, 16)},
		Rounds: 25, Duration: 600 * time.Millisecond,
	})
	for _, pair := range [][2]string{{"8", "16"}, {"16", "32"}} {
		few, many := least(found[pair[0]]), least(found[pair[1]])
		t.Logf("%s multiplications take %.2f ns, %s take %.2f", pair[0], few, pair[1], many)
		if ratio := many / few; math.Abs(ratio-2) > 0.35*2 {
			t.Errorf("%s multiplications are measured as %.2f times %s", pair[1], ratio, pair[0])
		}
	}
}

// TestThroughputHasItsLoop: nothing is subtracted from throughput, and the report shows how fast the
// loop is with an empty function.
func TestThroughputHasItsLoop(t *testing.T) {
	cfg := Config{
		Contenders: []Contender{function("chain", chain8)}, CPU: lastCPU(t), Rounds: MinRounds,
		Cases: []result.Case{result.Fixed(result.Throughput, 16)}, Duration: 10 * time.Millisecond,
	}
	r := must.Get(Run(context.Background(), cfg))(t)
	if x := r.Results[0]; x.Ns != x.RawNs || x.OverheadNs != 0 {
		t.Errorf("%+v, of %+v", x.Ns, x.RawNs)
	}
	if o := r.Overheads[0]; o.Mode != string(result.Throughput) || o.Ns.Median <= 0 {
		t.Errorf("%+v", o)
	}
}

// TestOverheadLeft: chains of known lengths lie on a line through the loop's own cost.
func TestOverheadLeft(t *testing.T) {
	found := run1(t, Config{
		Contenders: []Contender{function("8", chain8), function("16", chain16)},
		Cases:      []result.Case{result.Fixed(result.Latency, 16)},
		Rounds:     25, Duration: 600 * time.Millisecond,
	})
	eight, sixteen := found["8"].Ns, found["16"].Ns
	least, most := 2*eight.Low-sixteen.High, 2*eight.High-sixteen.Low
	t.Logf("between %v and %v ns are left", least, most)
	if least > maxOverheadLeft || most < -maxOverheadLeft {
		t.Errorf("8 multiplications take %+v, 16 %+v: at least %v ns are left", eight, sixteen, least)
	}
}

func TestRunReportsWhatItDid(t *testing.T) {
	f := must.Get(hashbench.Find("city64"))(t)
	passes := 0
	cfg := Config{
		Contenders: []Contender{Of(f)}, CPU: lastCPU(t), Seed: 7, Rounds: MinRounds, Duration: 50 * time.Millisecond,
		Cases: []result.Case{
			result.Fixed(result.Latency, 16),
			{Mode: result.Throughput, MinBytes: 1, MaxBytes: 32, Align: 3},
		},
		OnProgress: func(done, all int) { passes = max(passes, done); _ = all },
	}
	r := must.Get(Run(context.Background(), cfg))(t)
	if len(r.Results) != 2 || len(r.Overheads) != 2 || passes != MinRounds || r.Rounds != MinRounds || r.Seed != 7 {
		t.Errorf("%+v", r)
	}
	for _, x := range r.Results {
		if x.Ns.Median <= 0 || len(x.RoundsNs) != MinRounds || x.Calls < 1 || x.Module != f.Module ||
			x.Variant != string(f.Variant) {
			t.Errorf("%+v", x)
		}
	}
	if r.Clock.CPU != cfg.CPU || r.Clock.CoreSource == "" || r.Machine.Arch == "" {
		t.Errorf("%+v", r.Clock)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, Config{
		Contenders: []Contender{function("nothing", address)}, CPU: lastCPU(t),
		Cases: []result.Case{result.Fixed(result.Latency, 16)}, Rounds: 10, Duration: time.Minute,
	})
	if err == nil {
		t.Error("went on")
	}
}

// TestDisturbedRounds: rounds that take longer than their CPU time are counted, and from a tenth on
// they are a warning.
func TestDisturbedRounds(t *testing.T) {
	waits := named("waits", Contender{Round: func(_ *Input, calls int) (int64, error) {
		time.Sleep(2 * time.Millisecond * time.Duration(calls))
		return int64(time.Millisecond) * int64(calls), nil
	}})
	r := must.Get(Run(t.Context(), Config{
		Contenders: []Contender{waits}, Cases: []result.Case{result.Fixed(result.Latency, 16)},
		Rounds: MinRounds, Duration: 60 * time.Millisecond, CPU: lastCPU(t), Seed: 1,
	}))(t)
	if r.RoundsCPUNs < int64(MinRounds)*1e6 || r.RoundsWallNs < 2*r.RoundsCPUNs {
		t.Errorf("found %d ns of CPU time in %d ns", r.RoundsCPUNs, r.RoundsWallNs)
	}
	for wall, want := range map[int64]bool{105e6: false, 111e6: true} {
		r := result.Report{RoundsCPUNs: 100e6, RoundsWallNs: wall, Preemptions: 3}
		has := slices.ContainsFunc(warnings(&r), func(s string) bool {
			return strings.Contains(s, "disturbed: 100 ms of CPU time took 111 ms")
		})
		if has != want {
			t.Errorf("%d ns: found %q", wall, warnings(&r))
		}
	}
}
