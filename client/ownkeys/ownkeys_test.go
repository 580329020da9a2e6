package ownkeys

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/memcached"
	"dpukv/kvs/redis"
	"dpukv/load"
	"dpukv/load/trace"
)

// servers starts a real server of each store whose servers may run already.
func servers(t *testing.T) map[string]kvs.Remote {
	t.Helper()
	all := map[string]kvs.Remote{}
	for _, st := range []kvs.Store{redis.Store, memcached.Store} {
		_, err := st.Program()
		programs.NeedFound(t, err)
		s := must.Get(st.Start(&kvs.ServerConfig{
			Listen: "127.0.0.1:0", Workers: 1, Items: 10000, KeyBytes: 16, ValueBytes: 8,
			Setup: kvs.Setup{Mode: "store", Access: st.Study.Access}, MaxValueBytes: 8, Hash: kvs.NoHash,
		}))(t)
		t.Cleanup(func() { s.Close() })
		r := must.Get(st.Dial(t.Context(), &kvs.DialConfig{Addr: s.Addr()}))(t)
		t.Cleanup(func() { r.Close() })
		all[st.Name] = r
	}
	return all
}

func quiet(uint64) {}

// store stores keys of others, then those of the sets.
func store(t *testing.T, r kvs.Remote, sets []Set, others ...string) {
	t.Helper()
	s := kvstest.Open(t, r, kvs.SessionOptions{Batch: 16, Window: 1, Connections: 1})
	var requests []kvs.Request
	for _, key := range others {
		requests = append(requests, kvs.Request{Op: kvs.Set, Key: []byte(key), Value: []byte("theirs")})
	}
	kvstest.Do(t, s, nil, requests)
	must.Get(run(t.Context(), r, sets, job{op: kvs.Set, done: quiet}))(t)
}

// has fails the test if a look finds others.
func has(t *testing.T, r kvs.Remote, sets []Set, keys, own uint64) {
	t.Helper()
	f, err := Look(t.Context(), r, sets, Terms{}, quiet)
	if err != nil || f.Keys != keys || f.Own != own || f.Untold {
		t.Errorf("found %+v, %v; want %d keys, %d own", f, err, keys, own)
	}
}

// lying is a server that tells no keys.
type lying struct {
	kvs.Remote
	kvs.Roomy
}

func (lying) Stats() (kvs.Stats, error) { return kvs.Stats{Workers: make([]kvs.WorkerStats, 1)}, nil }

// TestLookBelievesNoCount: a server says that it has no keys, and has some with the load's names.
func TestLookBelievesNoCount(t *testing.T) {
	sets := []Set{{Keys: 5000, KeyBytes: 16, ValueBytes: 8}}
	for name, r := range servers(t) {
		store(t, r, nil, string(must.Get(sets[0].open(0))(t).name(4321)))
		f, err := Look(t.Context(), lying{r, r.(kvs.Roomy)}, sets, Terms{}, quiet)
		if err != nil || f.Own != 1 || f.Consent("x", sets, Terms{}) == nil {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		must.Do(t, f.Consent("x", sets, Terms{Yes: true}))
		if removed := must.Get(Remove(t.Context(), r, sets, quiet))(t); removed.Keys > 0 || removed.Left != 1 {
			t.Errorf("%s: removed a value that no load wrote: %+v", name, removed)
		}
	}
}

// TestNeedOfRealServers: a need that a sample tells lies between the plain bytes and the bound, and
// nothing of the sample stays. Without room for a sample, the bound counts.
func TestNeedOfRealServers(t *testing.T) {
	for name, r := range servers(t) {
		before := must.Get(roomOf(r))(t)
		set := Set{Keys: 10_000, KeyBytes: 16, ValueBytes: 300}
		f := must.Get(Look(t.Context(), r, []Set{set}, Terms{}, quiet))(t)
		n := f.Need
		plain := float64(set.Keys * (16 + 300))
		if n.Sampled == 0 || n.Bytes < plain || n.Bytes > 2*plain || n.Bound > 0 {
			t.Errorf("%s: %+v", name, n)
		}
		has(t, r, []Set{set}, 0, 0)
		set.Keys = 100_000_000
		f = must.Get(Look(t.Context(), r, []Set{set}, Terms{}, quiet))(t)
		if err := f.Consent("x", []Set{set}, Terms{}); err == nil || !strings.Contains(err.Error(), "--evict-others") {
			t.Errorf("%s: %v", name, err)
		}
		must.Do(t, f.Consent("x", []Set{set}, Terms{EvictOthers: true}))
		if now := must.Get(roomOf(r))(t); now.Evicted != before.Evicted {
			t.Errorf("%s: the look evicted items", name)
		}
	}
}

// TestRemove: own keys go, and keys of others stay, also those with the same prefix.
func TestRemove(t *testing.T) {
	sets := []Set{
		{Keys: 5000, KeyBytes: 16, KeyPrefix: "own:"},
		{Keys: 300, KeyBytes: 8},
		{Keys: 400, KeyBytes: 25, KeySizes: "10-40"},
	}
	for name, r := range servers(t) {
		t.Run(name, func(t *testing.T) {
			has(t, r, sets, 0, 0)
			store(t, r, sets, "own:theirs", "another")
			has(t, r, sets, 5702, 5700)
			var done uint64
			removed, err := Remove(t.Context(), r, sets, func(n uint64) { done += n })
			if err != nil || removed.Keys != 5700 || removed.Left != 2 || done != 2*5700 {
				t.Errorf("removed %+v in %d operations, %v", removed, done, err)
			}
			has(t, r, sets, 2, 0)
		})
	}
}

// TestRemoveTrace: the keys that a part of a trace stores or deletes go, each once. Those that it only
// asks for stay, unless their misses are filled.
func TestRemoveTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.trace")
	w := must.Get(trace.Create(path))(t)
	ops := []kvs.Op{kvs.Get, kvs.Set, kvs.Add, kvs.Delete}
	for i := range 2000 {
		key := uint64(i) / 2
		must.Do(t, w.Write(&trace.Record{AtNs: int64(i), Key: key, KeyBytes: 2 + int(key%30), Op: ops[key%4]}))
	}
	must.Get(w.Finish(trace.Summary{}))(t)
	set := func(change func(*load.Load)) []Set {
		l := load.Load{Workload: load.Workload{Trace: path}}
		change(&l)
		return Add(nil, SetOf(&l))
	}
	all := set(func(l *load.Load) { l.OnMiss = load.FillMisses })
	sampled := uint64(0)
	for key := range uint64(1000) {
		if trace.InSample(key, 4) && key%4 > 0 {
			sampled++
		}
	}
	for name, r := range servers(t) {
		for want, sets := range map[uint64][]Set{
			1000:    all,
			750:     set(func(*load.Load) {}),
			sampled: set(func(l *load.Load) { l.TraceSample = 4 }),
			75:      set(func(l *load.Load) { l.TraceRange = "200-400" }),
		} {
			store(t, r, all, "theirs")
			has(t, r, sets, 1001, want)
			if removed := must.Get(Remove(t.Context(), r, sets, quiet))(t); removed.Keys != want {
				t.Errorf("%s: removed %+v, want %d", name, removed, want)
			}
		}
		must.Do(t, os.Rename(path, path+"x"))
		if _, err := Look(t.Context(), r, all, Terms{}, quiet); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: without the trace: %v", name, err)
		}
		must.Do(t, os.Rename(path+"x", path))
	}
}

// TestRemoveEnds: a removal ends with its context, and says what may be left.
func TestRemoveEnds(t *testing.T) {
	sets := []Set{{Keys: 5000, KeyBytes: 16}}
	for name, r := range servers(t) {
		store(t, r, sets)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		removed, err := Remove(ctx, r, sets, quiet)
		if removed.Keys != 0 || !errors.Is(err, context.Canceled) ||
			!strings.Contains(err.Error(), "5000 keys of 16 bytes") {
			t.Errorf("%s: removed %+v, %v", name, removed, err)
		}
	}
}

// TestGrace: the context of a removal outlives an interruption, and ends with its own cancel.
func TestGrace(t *testing.T) {
	parent, interrupt := context.WithCancel(t.Context())
	ctx, cancel := WithGrace(parent)
	interrupt()
	select {
	case <-ctx.Done():
		t.Error("it ended with the interruption")
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	<-ctx.Done()
}

func TestConsent(t *testing.T) {
	sets := []Set{{Keys: 20, KeyBytes: 16, ValueBytes: 8}}
	need := Need{Items: 20, Bytes: 9920, Bound: 9920}
	roomy := kvs.Room{Evicts: true, Evictable: 7, Parts: map[string]kvs.RoomPart{
		"": {UnitBytes: 1, Used: 7000, Free: 12_000},
	}}
	tight, full, classes := roomy, roomy, roomy
	tight.Parts = map[string]kvs.RoomPart{"": {UnitBytes: 1, Used: 7000, Free: 8000}}
	full.Parts, full.Evicts = tight.Parts, false
	classes.Paged, classes.Pool = true, 5000
	none := kvs.Room{Parts: map[string]kvs.RoomPart{"": {UnitBytes: 1, Unbounded: true}}}
	for name, c := range map[string]struct {
		found Found
		terms Terms
		want  string
	}{
		"empty":  {found: Found{Room: roomy}},
		"agreed": {found: Found{Keys: 7, Room: roomy}, terms: Terms{Yes: true}},
		"not agreed": {found: Found{Keys: 7, Own: 2, Room: roomy}, want: "x: found 7 keys, 2 with the names " +
			"of this load's keys, allowed: an empty server, or --yes; the load stores 20 keys of 16 bytes with " +
			"values of 8 bytes (0.00048 MB in all), overwrites keys with the same names, and removes its own " +
			"keys afterwards; it needs at most 0.00992 MB, and the server has room for 0.012 MB"},
		"kept":      {found: Found{Keys: 1, Room: roomy}, terms: Terms{Keep: true}, want: "keeps its own keys there"},
		"not equal": {found: Found{Own: 1, Room: roomy}, want: "--yes"},
		"tight": {found: Found{Keys: 7, Room: tight}, terms: Terms{Yes: true}, want: "room for 0.008 MB, of which " +
			"a load may use 90 %: it would evict about 2 of 7 items that are there"},
		"tight, empty":  {found: Found{Room: tight}, want: "--evict-others"},
		"tight, agreed": {found: Found{Keys: 7, Room: tight}, terms: Terms{Yes: true, EvictOthers: true}},
		"full": {found: Found{Keys: 7, Room: full}, terms: Terms{Yes: true}, want: "it would be full, and refuse " +
			"the writes of others"},
		"classes":  {found: Found{Keys: 7, Room: classes}, terms: Terms{Yes: true}, want: "room for 0.005 MB"},
		"no limit": {found: Found{Keys: 7, Room: none}, terms: Terms{Yes: true}},
		"untold": {
			found: Found{Keys: 7, Room: kvs.Room{Untold: []string{"maxmemory"}}}, terms: Terms{Yes: true},
			want: "does not tell maxmemory",
		},
		"untold, without keys": {found: Found{Room: kvs.Room{Untold: []string{"maxmemory"}}}},
	} {
		c.found.Need = need
		err := c.found.Consent("x", sets, c.terms)
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestAdd: keys of one name and several counts are one set.
func TestAdd(t *testing.T) {
	whole := trace.Cut{To: 9}
	same := whole
	var sets []Set
	for _, s := range []Set{
		{Keys: 10, KeyBytes: 8, ValueBytes: 64},
		{Keys: 20, KeyBytes: 8, ValueBytes: 8},
		{Keys: 5, KeyBytes: 9},
		{Keys: 5, KeyBytes: 9, KeyPrefix: "p"},
		{Trace: "a", Part: &whole},
		{Trace: "a", Part: &same, Fills: true},
		{Trace: "a", Part: &same},
	} {
		sets = Add(sets, s)
	}
	want := []Set{
		{Keys: 20, KeyBytes: 8, ValueBytes: 64},
		{Keys: 5, KeyBytes: 9},
		{Keys: 5, KeyBytes: 9, KeyPrefix: "p"},
		{Trace: "a", Part: &whole, Fills: true},
	}
	if !slices.Equal(sets, want) {
		t.Errorf("got %+v", sets)
	}
}
