package measure

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/hashbench"
	"dpukv/hashbench/result"
	"dpukv/internal/cpu"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func lastCPU(t *testing.T) int {
	t.Helper()
	allowed, err := cpu.Allowed()
	if err != nil {
		t.Fatal(err)
	}
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
	r, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
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

// TestSlowFunction: a chain of n multiplications takes n times as long as one.
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
	found := run1(t, cfg)
	each := found["yardstick"].Ns.Median
	for _, n := range lengths {
		got := found[fmt.Sprint(n)].Ns.Median / each
		if math.Abs(got-float64(n)) > 0.1*float64(n) {
			t.Errorf("%d dependent multiplications are measured as %.1f times one", n, got)
		}
	}
}

// TestTwoNames: one function under two names is reported equal, and one with four more
// multiplications is not. In one run of some hundred, 95 % intervals of the same time miss each
// other. So it takes three runs in a row to fail.
func TestTwoNames(t *testing.T) {
	cfg := Config{
		Contenders: []Contender{function("one", chain16), function("other", chain16), function("more", chainOf(20))},
		Cases:      []result.Case{result.Fixed(result.Latency, 16)},
		Rounds:     25, Duration: 600 * time.Millisecond,
	}
	const runs = 3
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
// shares, so "about" is wide. The least of the rounds counts, because every disturbance makes a round
// slower.
func TestThroughputDoubles(t *testing.T) {
	found := run1(t, Config{
		Contenders: []Contender{
			function("8", chain8), function("16", chain16), function("32", chain32),
		},
		Cases:  []result.Case{result.Fixed(result.Throughput, 16)},
		Rounds: 25, Duration: 600 * time.Millisecond,
	})
	least := func(name string) float64 {
		r := found[name]
		return slices.Min(r.RoundsNs) - r.OverheadNs
	}
	for _, pair := range [][2]string{{"8", "16"}, {"16", "32"}} {
		few, many := least(pair[0]), least(pair[1])
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
	r, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
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
	f, err := hashbench.Find("city64")
	if err != nil {
		t.Fatal(err)
	}
	passes := 0
	cfg := Config{
		Contenders: []Contender{Of(f)}, CPU: lastCPU(t), Seed: 7, Rounds: MinRounds, Duration: 50 * time.Millisecond,
		Cases: []result.Case{
			result.Fixed(result.Latency, 16),
			{Mode: result.Throughput, MinBytes: 1, MaxBytes: 32, Align: 3},
		},
		OnProgress: func(done, all int) { passes = max(passes, done); _ = all },
	}
	r, err := Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
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
