package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
)

// TestRecords: runs of one commit and its settings are found again, and others are not.
func TestRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	r := must.Get(openRecords(path, "base", "s"))(t)
	at := func(kind string, lo, hi float64, refused string) row {
		return row{Name: "x", Kind: kind, Refused: refused, interval: interval{1, lo, hi, 100}}
	}
	for i, one := range []record{
		{Trial: "equal", Rows: []row{at(subject.Core, .99, 1.01, ""), at(subject.Server, 1.2, 1.3, "")}},
		{Trial: "equal", Rows: []row{at(subject.Core, 1, 1.03, ""), at(subject.Server, .7, .8, "")}},
		{Trial: "planted 5 %", Rows: []row{at(subject.Core, 1.04, 1.05, ""), at(subject.Core, .8, .9, "")}},
		{Trial: "equal, busy", Rows: []row{at(subject.Server, 1.04, 1.05, "busy")}},
	} {
		one.Run, one.Base, one.Settings = i, "base", "s"
		must.Do(t, r.add(&one))
	}
	must.Do(t, r.add(&record{Trial: "equal", Run: 7, Base: "other", Settings: "s"}))
	r = must.Get(openRecords(path, "base", "s"))(t)
	if len(r.all) != 4 || !r.has("equal", 1, "") || r.has("equal", 1, "x") || r.has("equal", 7, "") || r.has("equal, busy", 0, "") {
		t.Errorf("found the records %+v", r.all)
	}
	must.Contain(t, r.table(map[string]float64{"x": .02}),
		"| equal | at most 5 % moved | moved 0, decided 1 of 2 in 2 runs | moved 2, decided 2 of 2 in 2 runs |",
		"| planted 5 % | core: 90 % found slower; server: 70 % | slower 1 of 2 in 1 run | not measured |",
		"| equal, busy | core: at most 5 % moved; server: refused | not measured | refused 1 of 1 in 1 run |",
		"| planted 10 % | 90 % found slower | not measured | not measured |")
	must.Do(t, os.WriteFile(path, []byte(strings.Repeat("x", 9)), 0o600))
	_, err := openRecords(path, "base", "s")
	must.Fail(t, err, "remove it")
}
