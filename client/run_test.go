package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKeys = 5000

// smallLoad is a load of some requests. It takes a fraction of a second, of which it measures as long
// as the machine takes for them.
func smallLoad(t testing.TB) Config {
	cfg := periodLoad(t)
	cfg.Requests, cfg.Duration = 10_000, 0
	return cfg
}

// periodLoad is a load that measures for a time.
func periodLoad(t testing.TB) Config {
	return Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: testKeys, KeyBytes: 8, ValueBytes: 8, GetRatio: 0.5, Seed: 1,
			},
			Connections: 1, Window: 2, Batch: 16,
			Hash: hashbench.Default, Warmup: 20 * time.Millisecond,
		},
		Threads: 2, Duration: 300 * time.Millisecond,
		Interval: 50 * time.Millisecond, ServerAddr: "10.0.0.9:7000",
	}
}

// leakFree fails the test if it leaves a goroutine, or a session open.
func leakFree(t *testing.T, r *fakeRemote) {
	t.Cleanup(func() {
		goleak.VerifyNone(t)
		if r.open != 0 {
			t.Errorf("%d sessions are still open", r.open)
		}
	})
}

// checkSums checks what holds for the result of every run with a measurement.
func checkSums(t *testing.T, res *Result) {
	t.Helper()
	p := &res.Point
	for tag, unsent := range map[string]uint64{results.TagIntended: p.UnsentOps, results.TagActual: 0} {
		h := must.Get(results.MergeTag(res.Intervals, tag))(t)
		if want := p.Ops + p.LateOps + p.UnansweredOps + unsent; uint64(h.TotalCount()) != want {
			t.Errorf("%s histograms hold %d, want ops %d + late %d + unsent %d", tag, h.TotalCount(), p.Ops,
				p.LateOps, unsent)
		}
	}
	var ops uint64
	for _, th := range res.Threads {
		ops += th.Ops
	}
	if ops != p.Ops {
		t.Errorf("the threads answered %d operations, the point says %d", ops, p.Ops)
	}
	if p.Gets != p.Hits+p.Misses || p.Gets > p.Ops {
		t.Errorf("gets %d, hits %d, misses %d, ops %d", p.Gets, p.Hits, p.Misses, p.Ops)
	}
	if got := float64(p.Ops) / (float64(p.DurationNs) / 1e9); math.Abs(got-p.ThroughputOps) > 1 {
		t.Errorf("throughput is %v, ops over duration is %v", p.ThroughputOps, got)
	}
}

func mustRun(t *testing.T, r kvs.Remote, cfg Config) *Result {
	t.Helper()
	res := must.Get(Run(context.Background(), r, cfg))(t)
	if res.Point.Status != results.StatusOK || res.Point.Error != "" {
		t.Fatalf("status %q, error %q", res.Point.Status, res.Point.Error)
	}
	checkSums(t, res)
	return res
}

// mustFail runs a load that has to fail with all of want in its error.
func mustFail(t *testing.T, r kvs.Remote, cfg Config, want ...string) *Result {
	t.Helper()
	res, err := Run(context.Background(), r, cfg)
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error does not say %q: %v", w, err)
		}
	}
	if res != nil && (res.Point.Status != results.StatusFailed || res.Point.Error != err.Error()) {
		t.Errorf("status %q with error %q, returned was %v", res.Point.Status, res.Point.Error, err)
	}
	return res
}

func TestClosedLoop(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	r.latency = 200 * time.Microsecond
	cfg := periodLoad(t)
	p := mustRun(t, r, cfg).Point
	if p.Ops == 0 || p.Errors != 0 || p.Misses != 0 || p.PreloadHitRate != 1 {
		t.Errorf("%+v", p)
	}
	if p.Latency != p.Actual || p.Actual.P50Ns < int64(r.latency) {
		t.Errorf("latency %+v, actual %+v", p.Latency, p.Actual)
	}
	if p.LateOps != 0 || p.UnsentOps != 0 {
		t.Errorf("a closed loop has %d late and %d unsent operations", p.LateOps, p.UnsentOps)
	}
	if math.Abs(p.OpsPerFrame-float64(cfg.Batch)) > 1 || p.BytesPerFrame != 100 {
		t.Errorf("%v operations and %v bytes a frame", p.OpsPerFrame, p.BytesPerFrame)
	}
	if math.Abs(p.ServerCPUNsPerOp-100) > 0.1 {
		t.Errorf("server CPU is %v ns an operation, want 100", p.ServerCPUNsPerOp)
	}
	if share := float64(p.Gets) / float64(p.Ops); math.Abs(share-0.5) > 0.1 {
		t.Errorf("%v of the operations were GETs, want half", share)
	}
	if p.ClientCPUNsPerOp <= 0 || p.ClientCPUShare <= 0 || p.ClientHashShare <= 0 || p.ClientHashShare > 1 {
		t.Errorf("client CPU %v ns, share %v, hash share %v", p.ClientCPUNsPerOp, p.ClientCPUShare, p.ClientHashShare)
	}
}

func TestOpenLoop(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := periodLoad(t)
	cfg.RateOps = 20000
	res := mustRun(t, r, cfg)
	p := res.Point
	offered := cfg.RateOps * cfg.Duration.Seconds()
	if got := float64(p.Ops + p.LateOps + p.UnsentOps); math.Abs(got-offered) > offered/4 {
		t.Errorf("%d answered, %d late, %d unsent, but %v were offered", p.Ops, p.LateOps, p.UnsentOps, offered)
	}
	if p.Latency.MeanNs < p.Actual.MeanNs {
		t.Errorf("mean latency from the intended send is %v, from the actual one %v", p.Latency.MeanNs, p.Actual.MeanNs)
	}
	for _, th := range res.Threads {
		if th.SpinNs > th.CPUNs+int64(10*time.Millisecond) {
			t.Errorf("thread %d spun for %d of %d ns", th.Thread, th.SpinNs, th.CPUNs)
		}
	}
}

func hasWarning(p results.Point, part string) bool {
	return strings.Contains(p.Warnings.String(), part)
}

func TestWrongValueFails(t *testing.T) {
	for _, at := range []uint64{testKeys + 10, 2*testKeys + 1000} { // while verifying, under load
		r := newFakeRemote()
		leakFree(t, r)
		r.faults.flipAt = at
		res := mustFail(t, r, smallLoad(t), "10.0.0.9:7000", "1 of ", "does not belong to this key")
		if res.Point.Errors != 1 || len(res.Examples) != 1 {
			t.Errorf("%d errors, examples %q", res.Point.Errors, res.Examples)
		}
	}
}

// TestValueInAnswerToSetFails: only a GET has a value.
func TestValueInAnswerToSetFails(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	r.faults.echoes = true
	mustFail(t, r, smallLoad(t), "preload: ", "only a GET that finds its key has a value")
}

// stopped is a server that stands still from a sample on, while its clients READ on.
type stopped struct {
	*fakeRemote
	from   uint64
	stands chan struct{}
}

func (r *stopped) Facts() kvs.Facts {
	f := r.fakeRemote.Facts()
	f.Neighbourhood, f.Reads = 8, &kvs.ReadFacts{}
	return f
}

func (r *stopped) Stats() (kvs.Stats, error) {
	s, err := r.fakeRemote.Stats()
	if r.fakeRemote.statsCalls >= r.from {
		<-r.stands
	}
	return s, err
}

// TestStoppedServerOfReads: READs do not tell that a server stands still. The run ends, and does not
// wait for the end of the period, an hour later.
func TestStoppedServerOfReads(t *testing.T) {
	const inThePeriod = 3
	r := &stopped{newFakeRemote(), inThePeriod, make(chan struct{})}
	leakFree(t, r.fakeRemote)
	defer close(r.stands)
	cfg := periodLoad(t)
	cfg.Duration, cfg.Timeout = time.Hour, kernel.Timeout(200*time.Millisecond)
	p := mustFail(t, r, cfg, "measure: the server sent no statistics within ").Point
	if strings.Contains(p.Warnings.String(), "not those of this load") {
		t.Errorf("counters that did not come are believed: %s", p.Warnings)
	}
}

func TestFullServerSaysHowManyFitted(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	r.faults.capacity = 4000
	mustFail(t, r, smallLoad(t), "preload: 4000 of 5000 keys fitted", "more room")
}

func TestLowHitRateFails(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	r.facts.MinHitRate = 0.95
	r.faults.forget = func(key uint64) bool { return key%10 == 0 }
	res := mustFail(t, r, smallLoad(t), "verify: 4500 of 5000 GETs", "0.95")
	if res.Point.PreloadHitRate != 0.9 {
		t.Errorf("preload hit rate %v, want 0.9", res.Point.PreloadHitRate)
	}
	r.facts.MinHitRate = 0.9
	r.faults.forget = func(key uint64) bool { return key%20 == 0 }
	p := mustRun(t, r, smallLoad(t)).Point
	if p.Misses == 0 {
		t.Error("no misses counted")
	}
}

// TestStaleValueFails: in this store, a confirmed preload leaves an older value behind.
func TestStaleValueFails(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	stale := make([]byte, 8)
	load.FillValue(stale, 7, 12345)
	remote := &staleRemote{fakeRemote: r, value: stale}
	mustFail(t, remote, smallLoad(t), "older than the preload")
}

// staleRemote answers every GET of key 7 with one value.
type staleRemote struct {
	*fakeRemote
	value []byte
}

type staleSession struct {
	kvs.Session
	value []byte
}

func (r *staleRemote) Open(o kvs.SessionOptions) (kvs.Session, error) {
	s, err := r.fakeRemote.Open(o)
	return &staleSession{s, r.value}, err
}

func (s *staleSession) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	answers, err := s.Session.Poll(answers, wait)
	for i := range answers {
		if answers[i].Op == kvs.Get && cookieKey(answers[i].Cookie) == 7 {
			answers[i].Value = s.value
		}
	}
	return answers, err
}

func TestLostAnswerTimesOut(t *testing.T) {
	for _, at := range []uint64{100, testKeys + 100, 2*testKeys + 1000} { // preload, verify, load
		r := newFakeRemote()
		leakFree(t, r)
		r.faults.dropAt = at
		cfg := smallLoad(t)
		cfg.Timeout = kernel.Timeout(100 * time.Millisecond)
		res := mustFail(t, r, cfg, "thread ", "no answer within "+cfg.Timeout.String(), "in flight", "10.0.0.9:7000")
		if res.Point.Timeouts < 1 || res.Point.Timeouts > uint64(cfg.Batch) {
			t.Errorf("%d timeouts, want one batch", res.Point.Timeouts)
		}
	}
}

func TestDeadServer(t *testing.T) {
	for _, at := range []uint64{100, testKeys + 100, 2*testKeys + 1000} {
		r := newFakeRemote()
		leakFree(t, r)
		r.faults.dieAt = at
		cfg := periodLoad(t)
		cfg.Duration = time.Minute
		start := time.Now()
		mustFail(t, r, cfg, "thread ", "fake server at 10.0.0.9:7000", errDead.Error())
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %v to notice", d)
		}
	}
}

func TestStatsFail(t *testing.T) {
	for call := range uint64(3) { // before the preload, at the measurement period's begin and end
		r := newFakeRemote()
		leakFree(t, r)
		r.faults.noStats = call + 1
		mustFail(t, r, periodLoad(t), errDead.Error())
	}
}

func TestCancel(t *testing.T) {
	for _, phase := range []Phase{PhasePreload, PhaseVerify, PhaseMeasure} {
		r := newFakeRemote()
		leakFree(t, r)
		r.latency = time.Millisecond
		ctx, cancel := context.WithCancel(context.Background())
		cfg := periodLoad(t)
		cfg.Duration = time.Minute
		var cancelled time.Time
		cfg.OnProgress = func(p Progress) {
			if p.Phase == phase && cancelled.IsZero() {
				cancelled = time.Now()
				cancel()
			}
		}
		res, err := Run(ctx, r, cfg)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), string(phase)+": cancelled") {
			t.Errorf("cancelled during %s: %v", phase, err)
		}
		if res == nil || res.Point.Status != results.StatusFailed {
			t.Errorf("result %+v", res)
		}
		// The throughput is that of the time until the end, not of the minute that was asked for.
		if d := time.Duration(res.Point.DurationNs); phase == PhaseMeasure && d >= cfg.Duration/2 {
			t.Errorf("the period of a load that was cancelled is %v", d)
		}
		if d := time.Since(cancelled); d > 3*time.Second {
			t.Errorf("%s took %v to stop", phase, d)
		}
	}
}

func TestProgress(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := periodLoad(t)
	var phases []Phase
	measured := 0
	cfg.OnProgress = func(p Progress) {
		if !slices.Contains(phases, p.Phase) {
			phases = append(phases, p.Phase)
		}
		if p.ThroughputOps > 0 && p.P99Ns >= p.P50Ns {
			measured++
		}
	}
	mustRun(t, r, cfg)
	if want := []Phase{PhaseOpen, PhasePreload, PhaseVerify, PhaseReady, PhaseMeasure}; !slices.Equal(phases, want) {
		t.Errorf("phases %q, want %q", phases, want)
	}
	if measured == 0 {
		t.Error("no interval was reported")
	}
}

// TestRunIsReplayable: the same seed makes the same operations, in the same order for one thread.
func TestRunIsReplayable(t *testing.T) {
	cfg := smallLoad(t)
	cfg.Threads = 1
	cfg.Workload.Dist = load.Zipf(0.9)
	ops := func(seed uint64) ([]kvs.Op, []string) {
		r := newFakeRemote()
		cfg.Workload.Seed = seed
		mustRun(t, r, cfg)
		n := 2*testKeys + 1000 // the preload, its check, and some operations
		if len(r.trace) < n {
			t.Skipf("only %d operations in time: the machine is too busy", len(r.trace))
		}
		return r.trace[:n], r.traceKeys[:n]
	}
	firstOps, firstKeys := ops(1)
	secondOps, secondKeys := ops(1)
	if !slices.Equal(firstOps, secondOps) || !slices.Equal(firstKeys, secondKeys) {
		t.Error("the same seed gave other operations")
	}
	if _, otherKeys := ops(2); slices.Equal(firstKeys, otherKeys) {
		t.Error("another seed gave the same operations")
	}
}

// TestSecondClient: a client with Preloaded stores no key, asks for all, and does other operations
// than the first client.
func TestSecondClient(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := smallLoad(t)
	cfg.Threads, cfg.AllThreads = 1, 2
	mustRun(t, r, cfg)
	first := len(r.trace)
	cfg.Preloaded, cfg.FirstThread = true, 1
	for key := range uint64(testKeys) {
		name := make([]byte, 8)
		load.FillKey(name, key)
		load.FillValue(r.store[string(name)], key, 0)
	}
	res := mustRun(t, r, cfg)
	if i := slices.Index(r.trace[first:], kvs.Set); i < testKeys {
		t.Errorf("the first SET was operation %d, before all %d keys were asked for", i, testKeys)
	}
	if res.Point.PreloadHitRate != 1 {
		t.Errorf("found a share of %v of the keys", res.Point.PreloadHitRate)
	}
	const compared = 1000
	if slices.Equal(r.traceKeys[2*testKeys:2*testKeys+compared], r.traceKeys[first+testKeys:first+testKeys+compared]) {
		t.Error("both clients do the same operations")
	}
}

func TestOtherSizes(t *testing.T) {
	for _, c := range []struct {
		key, value, threads, batch, window int
		keys                               load.Sizes
	}{
		{2, 1, 1, 1, 1, ""},
		{16, 32, 3, 32, 4, ""},
		{13, 1000, 2, 7, 2, ""},
		{255, 9, 1, 64, 8, ""},
		{132, 20, 2, 16, 2, "8-255"},
		{10, 8, 1, 4, 1, "2:1+18:1"},
	} {
		r := newFakeRemote()
		leakFree(t, r)
		cfg := smallLoad(t)
		cfg.Workload.KeyBytes, cfg.Workload.ValueBytes = c.key, c.value
		cfg.KeySizes = c.keys
		cfg.Threads, cfg.Batch, cfg.Window = c.threads, c.batch, c.window
		mustRun(t, r, cfg)
		for key := range r.store {
			if n := len(key); n < cfg.MinKeyBytes() || n > cfg.MaxKeyBytes() {
				t.Errorf("found a key of %d bytes, want %s", n, c.keys.Text(c.key))
			}
		}
		if len(r.store) != testKeys {
			t.Errorf("keys of %s: %d are stored, want %d", c.keys.Text(c.key), len(r.store), testKeys)
		}
	}
}

func TestRefusedConfigs(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"keys: found 0":                func(c *Config) { c.Workload.Keys = 0 },
		"key_bytes: found 256":         func(c *Config) { c.Workload.KeyBytes = 256 },
		"only 256 different keys":      func(c *Config) { c.Workload.KeyBytes = 1 },
		"value_bytes: found -1":        func(c *Config) { c.Workload.ValueBytes = -1 },
		"get_ratio: found 1.5":         func(c *Config) { c.Workload.GetRatio = 1.5 },
		"get_ratio: found NaN":         func(c *Config) { c.Workload.GetRatio = math.NaN() },
		"threads: found 0":             func(c *Config) { c.Threads = 0 },
		"2 from number 3 on":           func(c *Config) { c.FirstThread, c.AllThreads = 3, 4 },
		"connections: found 0":         func(c *Config) { c.Connections = 0 },
		"window: found -1":             func(c *Config) { c.Window = -1 },
		"batch: found 0":               func(c *Config) { c.Batch = 0 },
		"the fake server: at most 256": func(c *Config) { c.Batch = 257 },
		"rate: found -1":               func(c *Config) { c.RateOps = -1 },
		"rate: found NaN":              func(c *Config) { c.RateOps = math.NaN() },
		"rate: found +Inf":             func(c *Config) { c.RateOps = math.Inf(1) },
		"threads: found 100000":        func(c *Config) { c.Threads = 100000 },
		"duration: found 0s":           func(c *Config) { c.Duration = 0 },
		"warmup_ns: found -1ns":        func(c *Config) { c.Warmup = -1 },
		"timeout: found 1ms":           func(c *Config) { c.Timeout = time.Millisecond },
		"interval: found 1ns":          func(c *Config) { c.Interval = 1 },
		"hash: found nothing":          func(c *Config) { c.Hash = "" },
		"cpus: found -2":               func(c *Config) { c.CPUs = []int{0, -2} },
		`"xxh64", the fake server`:     func(c *Config) { c.Hash = "xxh64" },
	} {
		cfg := periodLoad(t)
		change(&cfg)
		r := newFakeRemote()
		if res := mustFail(t, r, cfg, want); res != nil {
			t.Errorf("%s: there is a result", want)
		}
		if len(r.trace) > 0 {
			t.Errorf("%s: operations were sent", want)
		}
	}
}

func TestPinnedThreads(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	allowed := must.Get(cpu.Allowed())(t)
	one := allowed[:1]
	r.facts.CPUs = one
	cfg := periodLoad(t)
	cfg.CPUs, cfg.SameHost = one, true
	res := mustRun(t, r, cfg)
	if !slices.Equal(res.Point.ClientCPUs, one) || res.Threads[1].CPU != one[0] {
		t.Errorf("pinned to %v, threads %+v", res.Point.ClientCPUs, res.Threads)
	}
	for _, want := range []string{
		fmt.Sprintf("threads [0 1] on CPU %d", one[0]),
		fmt.Sprintf("client and server share CPUs %v", one),
	} {
		if !hasWarning(res.Point, want) {
			t.Errorf("no warning %q: %q", want, res.Point.Warnings)
		}
	}
	cfg.CPUs = []int{1023}
	mustFail(t, newFakeRemote(), cfg, ": pin to CPUs [1023]")
}

// ExampleRun measures a server in memory. For a server on the network, use the result of a store's
// Dial.
func ExampleRun() {
	cfg := Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 1000, KeyBytes: 8, ValueBytes: 32, GetRatio: 0.95, Dist: load.Zipf(0.99),
			},
			Batch: 16, Window: 2, Connections: 1, Hash: "city64",
			Warmup: 10 * time.Millisecond,
		},
		Threads:  1,
		Duration: 500 * time.Millisecond,
	}
	result, err := Run(context.Background(), newFakeRemote(), cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := result.Point
	fmt.Println(p.Status, p.Dist, p.Ops > 0, p.Hits == p.Gets, p.Errors)
	// Output: ok zipf:0.99 true true 0
}
