package trace

import (
	"errors"
	"os"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

var small = known{operations: 30_000, keys: 2000, zipf: 0.9, gets: 0.9, gap: time.Microsecond, seed: 7}

func all(t testing.TB, c Cursor) (records []Record) {
	t.Helper()
	var r Record
	for c.Next(&r) {
		records = append(records, r)
	}
	must.Do(t, c.Err())
	return records
}

// TestCursorParts: each key is in one part, with all its operations, in their order.
func TestCursorParts(t *testing.T) {
	f := must.Keep(Open(small.write(t)))(t)
	whole := all(t, f.Cursor(Cut{}))
	if len(whole) != small.operations || f.Summary().Operations != uint64(small.operations) {
		t.Fatalf("found %d operations, want %d", len(whole), small.operations)
	}
	const parts = 3
	partOf, total := map[uint64]int{}, 0
	for part := range parts {
		last := int64(-1)
		for _, r := range all(t, f.Cursor(Cut{Part: part, Parts: parts})) {
			if p, ok := partOf[r.Key]; ok && p != part {
				t.Fatalf("key %d is in the parts %d and %d", r.Key, p, part)
			}
			if r.AtNs <= last {
				t.Fatalf("part %d goes back to %d ns", part, r.AtNs)
			}
			partOf[r.Key], last = part, r.AtNs
			total++
		}
	}
	if total != len(whole) || len(partOf) != int(f.Summary().Keys) {
		t.Errorf("the parts have %d operations on %d keys, want %d on %d", total, len(partOf), len(whole),
			f.Summary().Keys)
	}
}

// TestCursorSamples: a sample has its share of the keys, each with all its operations.
func TestCursorSamples(t *testing.T) {
	f := must.Keep(Open(small.write(t)))(t)
	of := map[uint64]int{}
	for _, r := range all(t, f.Cursor(Cut{})) {
		of[r.Key]++
	}
	found := map[uint64]int{}
	for part := range 2 {
		for _, r := range all(t, f.Cursor(Cut{Part: part, Parts: 2, Sample: 8})) {
			found[r.Key]++
		}
	}
	for key, n := range found {
		if n != of[key] {
			t.Errorf("key %d: found %d operations in the sample, want %d", key, n, of[key])
		}
	}
	if want := len(of) / 8; len(found) < want/2 || len(found) > want*2 {
		t.Errorf("found %d keys in the sample, want about %d", len(found), want)
	}
}

// TestCursorIsAValue: a copy goes on from its place. A range begins and ends where it says.
func TestCursorIsAValue(t *testing.T) {
	f := must.Keep(Open(small.write(t)))(t)
	whole := all(t, f.Cursor(Cut{}))
	c := f.Cursor(Cut{From: 1000, To: 2000})
	var r Record
	for i := range 500 {
		if !c.Next(&r) || r != whole[1000+i] {
			t.Fatalf("operation %d: found %+v, want %+v", 1000+i, r, whole[1000+i])
		}
	}
	for range 2 {
		rest := all(t, c)
		if len(rest) != 500 || rest[0] != whole[1500] || rest[499] != whole[1999] {
			t.Fatalf("found %d operations from %+v on", len(rest), rest[0])
		}
	}
	if n := len(all(t, f.Cursor(Cut{From: 1 << 40}))); n != 0 {
		t.Errorf("behind the end: found %d operations", n)
	}
}

// TestCursorOfAShrinkingFile: wherever the file is cut, the cursor ends with an error that says so.
func TestCursorOfAShrinkingFile(t *testing.T) {
	page := int64(os.Getpagesize())
	for _, size := range []int64{0, 100, headerSize, headerSize + 10_000*recordSize + 23, 60 * page, 60*page + 1} {
		path := small.write(t)
		f := must.Keep(Open(path))(t)
		c := f.Cursor(Cut{})
		var r Record
		for range 10 {
			c.Next(&r)
		}
		must.Do(t, os.Truncate(path, size))
		n := 10
		for c.Next(&r) {
			n++
		}
		if !errors.Is(c.Err(), ErrShrunk) || int64(n) > max(size-headerSize, 64*recordSize)/recordSize {
			t.Errorf("cut to %d bytes: found %d operations and %v", size, n, c.Err())
		}
		c = f.Cursor(Cut{From: 29_000})
		if c.Next(&r) || !errors.Is(c.Err(), ErrShrunk) {
			t.Errorf("cut to %d bytes: behind it, found %+v and %v", size, r, c.Err())
		}
	}
}

// TestCursorAllocatesNothing also reads blocks anew.
func TestCursorAllocatesNothing(t *testing.T) {
	f := must.Keep(Open(small.write(t)))(t)
	c := f.Cursor(Cut{Part: 1, Parts: 2})
	var r Record
	if n := testing.AllocsPerRun(100, func() {
		for range 100 {
			c.Next(&r)
		}
	}); n != 0 {
		t.Errorf("found %v allocations in 100 operations, want none", n)
	}
}
