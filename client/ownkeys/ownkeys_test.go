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
		if _, err := st.Program(); err != nil {
			t.Skip(err)
		}
		s := must.Get(st.Start(&kvs.ServerConfig{
			Listen: "127.0.0.1:0", Workers: 1, Mode: "store", Items: 10000, KeyBytes: 16,
			ValueBytes: 8, MaxValueBytes: 8, Hash: kvs.NoHash, Access: st.Study.Access,
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
	must.Get(run(t.Context(), r, kvs.Set, sets, quiet))(t)
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
			f, err := Look(t.Context(), r, sets, quiet)
			if err != nil || f != (Found{}) {
				t.Errorf("an empty server has %+v, %v", f, err)
			}
			store(t, r, sets, "own:theirs", "another")
			f, err = Look(t.Context(), r, sets, quiet)
			if err != nil || f != (Found{Keys: 5702, Own: 5700}) {
				t.Errorf("found %+v, %v", f, err)
			}
			var done uint64
			removed, err := Remove(t.Context(), r, sets, func(n uint64) { done += n })
			if err != nil || removed != 5700 || done != 2*5700 {
				t.Errorf("removed %d in %d operations, %v", removed, done, err)
			}
			if f, err = Look(t.Context(), r, sets, quiet); err != nil || f != (Found{Keys: 2}) {
				t.Errorf("afterwards there are %+v, %v", f, err)
			}
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
			f := must.Get(Look(t.Context(), r, sets, quiet))(t)
			removed := must.Get(Remove(t.Context(), r, sets, quiet))(t)
			if f != (Found{Keys: 1001, Own: want}) || removed != want {
				t.Errorf("%s: found %+v, removed %d, want %d", name, f, removed, want)
			}
		}
		must.Do(t, os.Rename(path, path+"x"))
		if _, err := Look(t.Context(), r, all, quiet); !errors.Is(err, os.ErrNotExist) {
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
		if removed != 0 || !errors.Is(err, context.Canceled) ||
			!strings.Contains(err.Error(), "5000 keys of 16 bytes") {
			t.Errorf("%s: removed %d, %v", name, removed, err)
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
	for name, c := range map[string]struct {
		found        Found
		agreed, keep bool
		want         string
	}{
		"empty":  {},
		"agreed": {found: Found{Keys: 7}, agreed: true},
		"not agreed": {found: Found{Keys: 7, Own: 2}, want: "x: found 7 keys, 2 of them with the names of this " +
			"load's keys, allowed: an empty server, or --yes; the load stores 20 keys of 16 bytes with values " +
			"of 8 bytes (0.00048 MB in all), overwrites keys with the same names, and removes its own keys " +
			"afterwards"},
		"kept": {found: Found{Keys: 1}, keep: true, want: "keeps its own keys there"},
	} {
		err := c.found.Consent("x", sets, c.agreed, c.keep)
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
