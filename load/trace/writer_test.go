package trace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
)

func TestWriterRefuses(t *testing.T) {
	fine := Record{AtNs: 0, Key: 0, KeyBytes: 1, ValueBytes: 1, Op: kvs.Get}
	with := func(change func(*Record)) Record {
		r := fine
		change(&r)
		return r
	}
	for want, records := range map[string][]Record{
		"found key 1, allowed: 0 to 0":                 {with(func(r *Record) { r.Key = 1 })},
		"found the time 5 ns, allowed: 0":              {with(func(r *Record) { r.AtNs = 5 })},
		"a time before":                                {fine, with(func(r *Record) { r.AtNs = 5 }), fine},
		"allowed: what a record can hold":              {with(func(r *Record) { r.TTL = time.Microsecond })},
		"operation 0: found a key of too few":          {with(func(r *Record) { r.KeyBytes = 0 })},
		"operation 0: found an operation that does":    {with(func(r *Record) { r.Op = 0 })},
		"found a value larger than any store takes":    {with(func(r *Record) { r.ValueBytes = 1 << 16 })},
		"operation 0: found bits that no record has":   {with(func(r *Record) { r.TTL = maxTTL + time.Second })},
		"no operation for it, allowed: 1 or more":      {},
		"x: found a file of this name, allowed: a new": {fine},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		w := must.Get(Create(path))(t)
		var err error
		for i := range records {
			err = errors.Join(err, w.Write(&records[i]))
		}
		if err == nil {
			if strings.Contains(want, "of this name") {
				must.Do(t, os.WriteFile(path, nil, 0o600)) // meanwhile
			}
			_, err = w.Finish(Summary{})
		}
		must.Fail(t, err, want)
		must.Do(t, w.Close())
		if left := must.Get(os.ReadDir(dir))(t); len(left) > 1 || len(left) == 1 && left[0].Name() != "x" {
			t.Errorf("%s: left %v behind", want, left)
		}
	}
	if _, err := Create(small.write(t)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("of a file that exists: found %v", err)
	}
}

// TestSpread: the operations of a second lie evenly within it.
func TestSpread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	w := must.Get(Create(path))(t)
	for _, at := range []int64{0, 0, 0, 0, 1e9, 5e9, 5e9} {
		must.Do(t, w.Write(&Record{AtNs: at, KeyBytes: 1, Op: kvs.Get}))
	}
	s := must.Get(w.Finish(Summary{SpreadNs: 1e9}))(t)
	f := must.Keep(Open(path))(t)
	var found []int64
	for _, r := range all(t, f.Cursor(Cut{})) {
		found = append(found, r.AtNs)
	}
	want := []int64{0, 25e7, 5e8, 75e7, 1e9, 5e9, 55e8}
	if !slices.Equal(found, want) || s.LastNs != 55e8 || f.Summary().LastNs != 55e8 {
		t.Errorf("found %v, want %v", found, want)
	}
}

// TestSummaryFits: a summary too long for the header loses examples, then joins rare operations.
func TestSummaryFits(t *testing.T) {
	s := Summary{Source: Source{Name: strings.Repeat("\x01", 255), Format: "twitter"}}
	for range maxExamples {
		s.MalformedExamples = append(s.MalformedExamples, Malformed{1, "reason", strings.Repeat("\x01", 200)})
	}
	for i := range maxOps {
		s.Ops = append(s.Ops, OpCount{strings.Repeat(string(rune('a'+i)), maxOpName), "GET", 1})
	}
	text := must.Get(s.encode(maxSummary))(t)
	if len(text) > maxSummary || !strings.Contains(string(text), otherOps) && !strings.Contains(string(text), "xxxx") {
		t.Errorf("found %d bytes: %s", len(text), text)
	}
}
