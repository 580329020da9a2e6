package client

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/load/trace"
	"dpukv/results"
)

// traceOf writes a trace of the operations, one a microsecond, on keys of 8 bytes.
func traceOf(t *testing.T, records []trace.Record) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.trace")
	w := must.Get(trace.Create(path))(t)
	for i := range records {
		records[i].AtNs, records[i].KeyBytes = int64(i)*1000, 8
		must.Do(t, w.Write(&records[i]))
	}
	must.Get(w.Finish(trace.Summary{}))(t)
	return path
}

// aLife are operations on n keys, each in turn: what is stored, changed and deleted is also looked
// up.
func aLife(n int) (records []trace.Record) {
	for _, op := range []kvs.Op{
		kvs.Set, kvs.Get, kvs.Set, kvs.Get, kvs.Delete, kvs.Get, kvs.Add, kvs.Add, kvs.Get,
	} {
		for key := range n {
			r := trace.Record{Op: op, Key: uint64(key), ValueBytes: 20 + key%5}
			if op == kvs.Get || op == kvs.Delete {
				r.ValueBytes = 0
			}
			records = append(records, r)
		}
	}
	return records
}

// one is a fault that happens once, at the n-th time that a write of this kind finds what it needs.
func one(n int, op kvs.Op, wantThere bool) func(q *kvs.Request, there bool) bool {
	return func(q *kvs.Request, there bool) bool {
		if q.Op == op && there == wantThere {
			n--
		}
		return n == 0 && q.Op == op && there == wantThere
	}
}

// TestReplayNoticesFaults: a server that confirms writes of a trace and does not do them fails the
// point, whether it is one write or all of them, and whether it says that it may evict or not.
func TestReplayNoticesFaults(t *testing.T) {
	const keys = 5955 // three SETs or ADDs each are stored: 17,865
	dropped := 0
	drop := func(q *kvs.Request, _ bool) bool {
		if q.Op != kvs.Delete {
			dropped++
		}
		return q.Op != kvs.Delete && dropped <= 17864
	}
	for name, c := range map[string]struct {
		ignore func(q *kvs.Request, there bool) bool
		mode   string
		want   string
	}{
		"SETs of a store":   {drop, "store", "the key is not there, and an earlier SET or ADD"},
		"SETs of a cache":   {drop, "cache", "allowed: 0, as many as the server evicted"},
		"a first SET":       {one(77, kvs.Set, false), "store", "the key is not there"},
		"a SET of a cache":  {one(77, kvs.Set, false), "cache", "1 of 53595 answers did not find"},
		"a later SET":       {one(77, kvs.Set, true), "cache", "the value is not that of the last SET"},
		"a DELETE":          {one(77, kvs.Delete, true), "cache", "a DELETE is lost"},
		"an ADD of a store": {one(77, kvs.Add, false), "store", "1 of 53595 answers were wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			dropped = 0
			r := newFakeRemote()
			r.faults.ignore, r.facts.Mode = c.ignore, c.mode
			p := mustFail(t, r, replayLoad(traceOf(t, aLife(keys))), c.want).Point
			if p.FollowedKeys != keys || p.VersionBytes == 0 {
				t.Errorf("%d keys are followed, with %d bytes", p.FollowedKeys, p.VersionBytes)
			}
		})
	}
}

// TestReplayOfRightServer: nothing is noticed where nothing is wrong, and GETs are compared.
func TestReplayOfRightServer(t *testing.T) {
	const keys = 500
	for _, mode := range []string{"store", "cache"} {
		r := newFakeRemote()
		r.facts.Mode = mode
		p := mustRun(t, r, replayLoad(traceOf(t, aLife(keys)))).Point
		if p.Errors != 0 || p.ComparedGets != 3*keys || p.Hits != 3*keys || p.SizelessMisses != 0 {
			t.Errorf("%s: %d errors, %d hits, %d of them compared, want %d", mode, p.Errors, p.Hits,
				p.ComparedGets, 3*keys)
		}
	}
}

// TestReplayAllowsEvictions: as many keys may be gone as the server says that it evicted, and no more.
func TestReplayAllowsEvictions(t *testing.T) {
	r := newFakeRemote()
	r.faults.capacity, r.faults.evict, r.facts.Mode = 100, true, "cache"
	path := traceOf(t, aLife(500))
	if p := must.Get(Run(t.Context(), r, replayLoad(path)))(t).Point; p.Evicted == 0 || p.Misses <= 500 {
		t.Errorf("%d evicted, %d misses", p.Evicted, p.Misses)
	}
	r = newFakeRemote()
	r.faults.capacity, r.faults.evict, r.facts.Mode = 100, true, "cache"
	r.faults.uncounted = 2
	mustFail(t, r, replayLoad(path), "as many as the server evicted", "is lost, or somebody else removes")
}

// TestReplayCountsSizelessMisses: misses of keys whose size the trace does not tell have no fill, a
// count and a warning.
func TestReplayCountsSizelessMisses(t *testing.T) {
	var records []trace.Record
	for i := range uint64(600) {
		r := trace.Record{Op: kvs.Get, Key: i % 300}
		if i >= 300 {
			r.ValueBytes = 20 * int(r.Key%3)
		}
		records = append(records, r)
	}
	cfg := replayLoad(traceOf(t, records))
	cfg.OnMiss, cfg.Window, cfg.Batch = load.FillMisses, 1, 1
	p := mustRun(t, newFakeRemote(), cfg).Point
	// The second GET of a key tells its size, or does not. Fills after the last answer do not count.
	if p.SizelessMisses != 300+100 || p.Fills > 200 || p.Fills < 100 || p.Misses != 600 {
		t.Errorf("%d misses, %d of them without a size, %d fills", p.Misses, p.SizelessMisses, p.Fills)
	}
	if w := p.Warnings.String(); !strings.Contains(w, "400 of 600 misses were not stored") ||
		!p.Warnings.Has(results.Sizeless) {
		t.Errorf("found the warnings %q", w)
	}
	cfg.OnMiss = load.AllowMisses
	if p := mustRun(t, newFakeRemote(), cfg).Point; p.SizelessMisses > 0 || p.Warnings.Has(results.Sizeless) {
		t.Errorf("without fills: %d, %q", p.SizelessMisses, p.Warnings)
	}
}

// TestReplayOfChangedFile: a file that is written, cut off, replaced or removed in the middle of its
// replay fails the point. One that only got other rights does not.
func TestReplayOfChangedFile(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"written": func(path string) error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt([]byte{1}, 4096)
			return err
		},
		"longer":   func(path string) error { return os.Truncate(path, 1<<20) },
		"replaced": func(path string) error { return os.Rename(path+"2", path) },
		"removed":  os.Remove,
		"rights":   func(path string) error { return os.Chmod(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			path, _ := aTrace(t, 2000, time.Microsecond)
			must.Do(t, os.WriteFile(path+"2", must.Get(os.ReadFile(path))(t), 0o600))
			cfg := replayLoad(path)
			cfg.OnReady = func(context.Context, float64) error { return change(path) }
			res, err := Run(t.Context(), newFakeRemote(), cfg)
			if name == "rights" {
				must.Do(t, err)
				return
			}
			if err == nil || !strings.Contains(err.Error(), "the file changed while it was read") ||
				!strings.Contains(err.Error(), path) || res.Point.Status != results.StatusFailed {
				t.Errorf("found %v", err)
			}
		})
	}
}
