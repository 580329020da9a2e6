package follow

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dpukv/kvs"
	"dpukv/load"
)

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

// TestAnswers has operations on a key in flight together. Of a store that does what it confirms,
// nothing is found. Of one that ignores a write, something is found as soon as an answer differs
// from that of the other store.
func TestAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		faulty := rapid.Bool().Draw(t, "faulty")
		most := 1
		if !faulty {
			most = 3 // times to live, and values without a version
		}
		now := int64(rapid.IntRange(0, 1<<17).Draw(t, "begin")) * 1e6
		f := New(1, &kvs.Facts{Setup: kvs.Setup{Mode: "store"}, TTLUnit: time.Millisecond}, now)
		right, store := simKey{}, simKey{}
		var flight []kvs.Request
		differs, found := false, Finding(AsExpected)
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
				number := f.Sends(0, q.TTL, func() int64 { return now })
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
				if got := f.Answer(f.Of(0), &a, q.Op, false); got > Compared {
					found = got
				}
				if differs != (found != AsExpected) {
					t.Fatalf("%v: found %q, an answer differs: %v", q.Op, found, differs)
				}
			}
		}
	})
}

// TestLostBeforeTheTTL: an item that goes before its time is lost, and none that goes after it.
func TestLostBeforeTheTTL(t *testing.T) {
	for _, c := range []struct {
		unit, ttl, after time.Duration
		want             Finding
	}{
		{time.Millisecond, time.Minute, 50 * time.Second, Gone},
		{time.Millisecond, time.Minute, 59 * time.Second, AsExpected}, // clocks differ
		{time.Millisecond, time.Minute, 61 * time.Second, AsExpected},
		{time.Second, time.Minute, 50 * time.Second, Gone},
		{time.Second, 2 * time.Second, time.Second, AsExpected}, // the server's clock ticks in seconds
		{time.Second, 0, 1000 * time.Hour, Gone},
	} {
		f := New(1, &kvs.Facts{TTLUnit: c.unit}, 5)
		f.Sends(0, c.ttl, func() int64 { return 5 })
		f.Answer(f.Of(0), &kvs.Answer{}, kvs.Set, false)
		a := kvs.Answer{Status: kvs.NotFound, ReceivedNs: 5 + int64(c.after)}
		if got := f.Answer(f.Of(0), &a, kvs.Get, false); got != c.want {
			t.Errorf("%v of %v in units of %v: found %d, want %d", c.after, c.ttl, c.unit, got, c.want)
		}
	}
}

// TestValuesOfAnEarlierReplay: where a SET is lost, they do not pass for its value.
func TestValuesOfAnEarlierReplay(t *testing.T) {
	earlier, f := New(1, &kvs.Facts{}, 1e9), New(1, &kvs.Facts{}, 5e9)
	value := make([]byte, 20)
	load.FillValue(value, 0, load.SizedVersion(earlier.Sends(0, 0, nil), len(value)))
	f.Sends(0, 0, nil)
	f.Answer(f.Of(0), &kvs.Answer{}, kvs.Set, false)
	if got := f.Answer(f.Of(0), &kvs.Answer{Value: value}, kvs.Get, false); got != Stale {
		t.Errorf("found %v", got)
	}
}

// TestMemoryIsBounded: the memory does not grow with the keys.
func TestMemoryIsBounded(t *testing.T) {
	for _, keys := range []uint64{1, 1000, Most, Most + 1, 10 * Most} {
		f := New(keys, &kvs.Facts{}, 0)
		if n := f.Bytes(); n > 64<<20 || keys <= Most && f.Count() != keys {
			t.Errorf("%d keys: %d are followed, with %d bytes", keys, f.Count(), n)
		}
		if f.Of((keys-1)/f.stride*f.stride) == nil || f.Of(1<<47) != nil {
			t.Errorf("%d keys: the last one is not followed, or one beyond it is", keys)
		}
	}
}

// TestManyKeys: of a trace with more keys than are followed, every second one is.
func TestManyKeys(t *testing.T) {
	f := New(2*Most, &kvs.Facts{Setup: kvs.Setup{Mode: "store"}}, 0)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		key := rng.Uint64N(2 * Most)
		number := f.Sends(key, 0, nil)
		if k := f.Of(key); (k != nil) != (key%2 == 0) || (number == 0) != (k == nil) {
			t.Fatalf("key %d: number %d, %+v", key, number, k)
		}
	}
}
