package client

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/hashbench"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
	"dpukv/results"
)

// aTrace writes a trace of n operations at equal distances.
func aTrace(t *testing.T, n int, gap time.Duration) (path string, records []trace.Record) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.trace")
	w := must.Get(trace.Create(path))(t)
	rng := rand.New(rand.NewPCG(1, 2))
	keys := 0
	for i := range n {
		key := rng.IntN(keys + 1)
		keys = max(keys, key+1)
		r := trace.Record{
			AtNs: int64(i) * int64(gap), Key: uint64(key), KeyBytes: 8 + key%9, ValueBytes: (key*7 + i%3) % 300,
			Op: []kvs.Op{kvs.Get, kvs.Get, kvs.Get, kvs.Set, kvs.Add, kvs.Delete}[rng.IntN(6)],
		}
		if r.Op == kvs.Set || r.Op == kvs.Add {
			r.TTL = time.Duration(key%3) * 1500 * time.Millisecond
		}
		must.Do(t, w.Write(&r))
		records = append(records, r)
	}
	must.Get(w.Finish(trace.Summary{}))(t)
	return path, records
}

func replayLoad(path string) Config {
	return Config{
		Load: load.Load{
			Workload:    load.Workload{Trace: path, Seed: 1},
			Connections: 1, Window: 4, Batch: 8, Hash: hashbench.Default,
		},
		Threads: 3, Interval: 50 * time.Millisecond,
	}
}

// TestReplayCountsExactly: a whole trace gives its counts, and each key's operations in their order.
func TestReplayCountsExactly(t *testing.T) {
	path, records := aTrace(t, 6000, 50*time.Microsecond)
	for name, change := range map[string]func(*Config){
		"as fast as possible": func(*Config) {},
		"recorded":            func(c *Config) { c.TraceSpeed = 1 },
		"4 times":             func(c *Config) { c.TraceSpeed = 4 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newFakeRemote()
			leakFree(t, r)
			cfg := replayLoad(path)
			change(&cfg)
			res := must.Get(Run(t.Context(), r, cfg))(t)
			p := &res.Point
			var gets, sets, deletes uint64
			for _, of := range records {
				switch of.Op {
				case kvs.Get:
					gets++
				case kvs.Delete:
					deletes++
				default:
					sets++
				}
			}
			set, deleted := p.LatencyOfOp(results.TagSet).Ops, p.LatencyOfOp(results.TagDelete).Ops
			if p.Ops != uint64(len(records)) || p.Gets != gets || set != sets || deleted != deletes ||
				p.Hits+p.Misses != gets || p.TraceFile.Operations != p.Ops || p.TraceFile.SHA256 == "" {
				t.Errorf("found %d operations, %+v, %+v; want %d, %d, %d",
					p.Ops, p.ByOp, p.TraceFile, gets, sets, deletes)
			}
			inOrder(t, r, records)
			span := time.Duration(float64(records[len(records)-1].AtNs) / max(cfg.TraceSpeed, 1e9))
			if p.DurationNs < int64(span) {
				t.Errorf("took %v, want the recorded %v or more", time.Duration(p.DurationNs), span)
			}
		})
	}
}

// inOrder checks that the server saw each key's operations in the trace's order.
func inOrder(t *testing.T, r *fakeRemote, records []trace.Record) {
	t.Helper()
	want := map[string][]kvs.Op{}
	for _, of := range records {
		key := make([]byte, of.KeyBytes)
		load.FillKey(key, of.Key)
		want[string(key)] = append(want[string(key)], of.Op)
	}
	for i, op := range r.trace {
		key := r.traceKeys[i]
		if len(want[key]) == 0 || want[key][0] != op {
			t.Fatalf("operation %d is a %v, want one of %v", i, op, want[key])
		}
		want[key] = want[key][1:]
	}
}

// TestReplayKeepsItsTimes: intended times are those of the trace, divided by the speed, whatever was
// asked before.
func TestReplayKeepsItsTimes(t *testing.T) {
	path, records := aTrace(t, 2000, time.Millisecond)
	cfg := replayLoad(path)
	cfg.TraceSpeed, cfg.Threads, cfg.AllThreads = 4, 1, 1
	cfg.TraceRange = "500-1500"
	r := must.Get(openReplay(&cfg, &kvs.Facts{}))(t)
	defer r.close()
	cfg.replay = r
	p := cfg.pacer(0)
	for _, n := range []uint64{0, 999, 3, 500, 1000, 0} {
		want := int64(neverNs)
		if n < 1000 {
			want = (records[500+n].AtNs - records[500].AtNs) / 4
		}
		if got := p.At(n); got != want {
			t.Errorf("operation %d: at %d, want %d", n, got, want)
		}
	}
	for _, ms := range []int64{0, 100, 10, 1000} {
		if got, want := p.Due(ms*1e6), uint64(min(ms*4+1, 1000)); got != want {
			t.Errorf("after %d ms %d are due, want %d", ms, got, want)
		}
	}
}

// TestReplayTTLs: items expire after the trace's times, which become as much shorter as the replay is
// faster, and whole units of the store.
func TestReplayTTLs(t *testing.T) {
	path, records := aTrace(t, 600, time.Microsecond)
	most := func(of time.Duration) (n uint64) {
		for i := range records {
			if records[i].TTL > of {
				n++
			}
		}
		return n
	}
	for name, of := range map[string]struct {
		unit  time.Duration
		speed float64
		ttls  []time.Duration // of keys with the recorded 0 s, 1.5 s, 3 s
		warns string
	}{
		"no expiry": {0, 1, []time.Duration{0, 0, 0}, "of the trace had one, fake has none"},
		"fast":      {time.Second, 0, []time.Duration{0, 2 * time.Second, 3 * time.Second}, "fewer items expire"},
		"recorded":  {time.Millisecond, 1, []time.Duration{0, 1500 * time.Millisecond, 3 * time.Second}, ""},
		"4 times": {time.Second, 4, []time.Duration{0, time.Second, time.Second}, fmt.Sprintf(
			"ttl: %d of %d became more than a tenth longer", most(0), most(0))},
		"1.5 times": {time.Second, 1.5, []time.Duration{0, time.Second, 2 * time.Second}, ""},
	} {
		r := newFakeRemote()
		r.facts.TTLUnit = of.unit
		cfg := replayLoad(path)
		cfg.TraceSpeed = of.speed
		p := must.Get(Run(t.Context(), r, cfg))(t).Point
		if warned := p.Warnings.Has(results.TTLs); p.TTLOps != most(0) || warned != (of.warns != "") ||
			!strings.Contains(p.Warnings.String(), of.warns) {
			t.Errorf("%s: %d operations of %d, warnings %q", name, p.TTLOps, most(0), p.Warnings)
		}
		want := map[string]time.Duration{}
		for _, rec := range records {
			key := make([]byte, rec.KeyBytes)
			load.FillKey(key, rec.Key)
			want[string(key)] = of.ttls[rec.Key%3]
		}
		for i, op := range r.trace {
			if key := r.traceKeys[i]; (op == kvs.Set || op == kvs.Add) && r.traceTTLs[i] != want[key] {
				t.Fatalf("%s: operation %d has the TTL %v, want %v", name, i, r.traceTTLs[i], want[key])
			}
		}
	}
}

// TestReplaySamplesKeys: a sample has a part of the keys, each with all its operations.
func TestReplaySamplesKeys(t *testing.T) {
	path, records := aTrace(t, 6000, time.Microsecond)
	cfg := replayLoad(path)
	cfg.TraceSample = 4
	want := 0
	for _, of := range records {
		if trace.InSample(of.Key, 4) {
			want++
		}
	}
	if p := must.Get(Run(t.Context(), newFakeRemote(), cfg))(t).Point; p.Ops != uint64(want) || want == 0 {
		t.Errorf("%d operations, want %d", p.Ops, want)
	}
}

func TestReplayIsRefused(t *testing.T) {
	path, _ := aTrace(t, 100, time.Microsecond)
	for want, change := range map[string]func(*Config){
		"for the last": func(c *Config) { c.Duration = time.Minute },
		"found operations of 0s at this speed, allowed: warm-up and duration, 1m0s, or more": func(c *Config) {
			c.Duration, c.TraceSpeed = time.Minute, 4
		},
		"allowed: the warm-up, 5s, or more; shorten the warm-up": func(c *Config) {
			c.Warmup, c.TraceSpeed = 5*time.Second, 4
		},
		"found no operation after the warm-up of 20s": func(c *Config) {
			c.Warmup = 20 * time.Second
		},
		"check makes operations that the trace does not have": func(c *Config) { c.CheckHash = true },
		"allowed: with on_miss fill":                          func(c *Config) { c.FillDelay = time.Second },
		"within its 100 operations":                           func(c *Config) { c.TraceRange = "5-101" },
		"no such file":                                        func(c *Config) { c.Trace += "x" },
		"the trace decides it":                                func(c *Config) { c.Keys = 5 },
		"allowed: with one": func(c *Config) {
			*c = smallLoad(t)
			c.TraceSpeed = 2
		},
	} {
		cfg := replayLoad(path)
		change(&cfg)
		if _, err := Run(t.Context(), newFakeRemote(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, want %s", err, want)
		}
	}
}

// TestReplayOfKnownTrace: the digest of an unchanged file is not computed again. That of a converted
// file is its source's.
func TestReplayOfKnownTrace(t *testing.T) {
	path, _ := aTrace(t, 100, time.Microsecond)
	cfg := replayLoad(path)
	known := *must.Get(Run(t.Context(), newFakeRemote(), cfg))(t).Trace
	known.SHA256, cfg.KnownTrace = "as known", &known
	if of := must.Get(Run(t.Context(), newFakeRemote(), cfg))(t).Point.TraceFile; of.SHA256 != "as known" {
		t.Errorf("found %+v", of)
	}
	cfg.Trace, cfg.Converted = "source.csv", path
	p := must.Get(Run(t.Context(), newFakeRemote(), cfg))(t).Point
	if p.Trace != "source.csv" || p.TraceFile.SHA256 != "" {
		t.Errorf("found %s, %+v", p.Trace, p.TraceFile)
	}
}

// TestReplayOfShrunkenFile: a file that another process cuts off ends the run by name.
func TestReplayOfShrunkenFile(t *testing.T) {
	path, _ := aTrace(t, 200_000, 10*time.Microsecond)
	cfg := replayLoad(path)
	cfg.TraceSpeed = 1
	cfg.OnReady = nil
	cut := make(chan error, 1)
	cfg.OnProgress = func(p Progress) {
		if p.Phase == PhaseMeasure && p.Elapsed > 0 && len(cut) == 0 {
			cut <- os.Truncate(path, 4096+1000*24)
		}
	}
	_, err := Run(t.Context(), newFakeRemote(), cfg)
	if err == nil || !strings.Contains(err.Error(), "a.trace") {
		t.Errorf("found %v, want the file's name", err)
	}
	must.Do(t, <-cut)
}

// TestReplayFills: a miss is filled with the sizes that the trace last had for the key.
func TestReplayFills(t *testing.T) {
	path, records := aTrace(t, 6000, time.Microsecond)
	r := newFakeRemote()
	r.faults.capacity, r.faults.evict, r.facts.Mode = 10, true, "cache"
	leakFree(t, r)
	cfg := replayLoad(path)
	cfg.OnMiss = load.FillMisses
	res := must.Get(Run(t.Context(), r, cfg))(t)
	p := &res.Point
	if p.Fills == 0 || p.Ops != uint64(len(records)) || p.Fills > p.Misses {
		t.Errorf("%d operations, %d misses, %d fills", p.Ops, p.Misses, p.Fills)
	}
	found := p.LatencyOfOp(results.TagGetHit).Ops + p.LatencyOfOp(results.TagGetMiss).Ops
	if found != p.Gets || p.LatencyOfOp(results.TagFill).Ops != p.Fills {
		t.Errorf("found %+v of %d GETs and %d fills", p.ByOp, p.Gets, p.Fills)
	}
}

// TestReplayNotesItems: what a record does not tell stays as an earlier one told it.
func TestReplayNotesItems(t *testing.T) {
	r := replay{items: make([]item, 1)}
	for i, of := range []trace.Record{
		{Op: kvs.Set, KeyBytes: 8, ValueBytes: 100, TTL: time.Minute},
		{Op: kvs.Get, KeyBytes: 8},
		{Op: kvs.Delete, KeyBytes: 8},
	} {
		r.note(&of)
		if it := r.items[0]; it.key() != 8 || it.value() != 100 || it.ttl() != time.Minute {
			t.Errorf("after operation %d: %d, %d bytes, %v", i, it.key(), it.value(), it.ttl())
		}
	}
	r.note(&trace.Record{Op: kvs.Add, KeyBytes: 8, ValueBytes: 7})
	if it := r.items[0]; it.value() != 7 || it.ttl() != 0 {
		t.Errorf("found %d bytes, %v", it.value(), it.ttl())
	}
}

// TestReplayComputes: the server gets the trace's operations alone, also of a client that computes.
func TestReplayComputes(t *testing.T) {
	path, records := aTrace(t, 600, time.Microsecond)
	r := newFakeRemote()
	cfg := replayLoad(path)
	cfg.Compute = 10 * time.Microsecond
	p := must.Get(Run(t.Context(), r, cfg))(t).Point
	if len(r.trace) != len(records) || p.Overlap.CommNs > 0 || p.ComputeMeanNs == 0 {
		t.Errorf("%d operations, overlap %+v, a compute of %v ns", len(r.trace), p.Overlap, p.ComputeMeanNs)
	}
}
