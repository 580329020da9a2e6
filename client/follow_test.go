package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

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

// simKey is a store with one key, on a clock of its own.
type simKey struct {
	value   []byte
	there   bool
	untilNs int64 // 0: for ever
}

// do executes an operation, unless the store only confirms it.
func (s *simKey) do(q *kvs.Request, nowNs int64, ignores bool) (a kvs.Answer) {
	if s.untilNs > 0 && nowNs >= s.untilNs {
		s.there = false
	}
	switch {
	case q.Op == kvs.Add && s.there:
		a.Status = kvs.Exists
	case (q.Op == kvs.Get || q.Op == kvs.Delete) && !s.there:
		a.Status = kvs.NotFound
	case q.Op == kvs.Get:
		a.Value = s.value
	case ignores:
	case q.Op == kvs.Delete:
		s.there = false
	default:
		s.there, s.value, s.untilNs = true, q.Value, 0
		if q.TTL > 0 {
			s.untilNs = nowNs + int64(q.TTL)
		}
	}
	return a
}

// TestFollowing has operations on a key in flight together. Of a store that does what it confirms,
// nothing is found. Of one that ignores a write, something is found as soon as an answer differs
// from that of the other store.
func TestFollowing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		faulty := rapid.Bool().Draw(t, "faulty")
		most := 1
		if !faulty {
			most = 3 // times to live, and values without a version
		}
		f := newFollowing(1, &kvs.Facts{Mode: "store", TTLUnit: time.Millisecond}, 0)
		now := int64(0)
		right, store := simKey{}, simKey{}
		var flight []kvs.Request
		differs, found := false, finding(asExpected)
		fault := rapid.IntRange(0, 10).Draw(t, "ignored write")
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			op := rapid.SampledFrom([]kvs.Op{kvs.Get, kvs.Get, kvs.Set, kvs.Add, kvs.Delete})
			q := kvs.Request{Op: op.Draw(t, "op")}
			if q.Op == kvs.Set || q.Op == kvs.Add {
				size := 20
				switch rapid.IntRange(1, most).Draw(t, "kind") {
				case 2:
					q.TTL = time.Duration(rapid.IntRange(1, 200).Draw(t, "ttl")) * time.Millisecond
				case 3:
					size = 5
				}
				number := f.sends(0, q.TTL, func() int64 { return now })
				q.Value = make([]byte, size)
				load.FillValue(q.Value, 0, load.SizedVersion(number, size))
			}
			flight = append(flight, q)
			for len(flight) > 0 && rapid.Bool().Draw(t, "answers") {
				now += int64(rapid.IntRange(0, 30).Draw(t, "ms")) * 1e6
				q, flight = flight[0], flight[1:]
				want := right.do(&q, now, false)
				a := want
				if faulty {
					writes := q.Op != kvs.Get
					a = store.do(&q, now, writes && fault == 0)
					if writes {
						fault--
					}
				}
				differs = differs || a.Status != want.Status || string(a.Value) != string(want.Value)
				now += int64(rapid.IntRange(0, 30).Draw(t, "ms")) * 1e6
				a.ReceivedNs = now
				if got := f.answer(f.of(0), &a, q.Op, setDone); got > compared {
					found = got
				}
				if differs != (found != asExpected) {
					t.Fatalf("%v: found %q, an answer differs: %v", q.Op, findings[found], differs)
				}
			}
		}
	})
}

// TestFollowingFindsLostTTLs: an item that goes before its time is lost, and none that goes after it.
func TestFollowingFindsLostTTLs(t *testing.T) {
	for _, c := range []struct {
		unit, ttl, after time.Duration
		want             finding
	}{
		{time.Millisecond, time.Minute, 50 * time.Second, gone},
		{time.Millisecond, time.Minute, 59 * time.Second, asExpected}, // clocks differ
		{time.Millisecond, time.Minute, 61 * time.Second, asExpected},
		{time.Second, time.Minute, 50 * time.Second, gone},
		{time.Second, 2 * time.Second, time.Second, asExpected}, // the server's clock ticks in seconds
		{time.Second, 0, 1000 * time.Hour, gone},
	} {
		f := newFollowing(1, &kvs.Facts{TTLUnit: c.unit}, 5)
		f.sends(0, c.ttl, func() int64 { return 5 })
		f.answer(f.of(0), &kvs.Answer{}, kvs.Set, setDone)
		a := kvs.Answer{Status: kvs.NotFound, ReceivedNs: 5 + int64(c.after)}
		if got := f.answer(f.of(0), &a, kvs.Get, getMiss); got != c.want {
			t.Errorf("%v of %v in units of %v: found %d, want %d", c.after, c.ttl, c.unit, got, c.want)
		}
	}
}

// TestFollowingIsBounded: the memory does not grow with the keys.
func TestFollowingIsBounded(t *testing.T) {
	for _, keys := range []uint64{1, 1000, maxFollowed, maxFollowed + 1, 10 * maxFollowed} {
		f := newFollowing(keys, &kvs.Facts{}, 0)
		if n := f.bytesFollowed(); n > 64<<20 || keys <= maxFollowed && uint64(len(f.keys)) != keys {
			t.Errorf("%d keys: %d are followed, with %d bytes", keys, len(f.keys), n)
		}
		if f.of((keys-1)/f.stride*f.stride) == nil || f.of(1<<47) != nil {
			t.Errorf("%d keys: the last one is not followed, or one beyond it is", keys)
		}
	}
}

// TestReplayFindsFaultsAmongManyKeys: of a trace with more keys than are followed, one is still
// found that is, and those that are not are no harm.
func TestReplayFindsFaultsAmongManyKeys(t *testing.T) {
	f := newFollowing(2*maxFollowed, &kvs.Facts{Mode: "store"}, 0)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		key := rng.Uint64N(2 * maxFollowed)
		number := f.sends(key, 0, nil)
		if k := f.of(key); (k != nil) != (key%2 == 0) || (number == 0) != (k == nil) {
			t.Fatal(fmt.Sprintf("key %d: number %d, %+v", key, number, k))
		}
	}
}
