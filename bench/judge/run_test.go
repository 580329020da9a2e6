package main

import (
	"regexp"
	"slices"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
)

func buildOf(subjects ...subject.Facts) *build {
	b := &build{}
	for _, f := range subjects {
		b.subjects = append(b.subjects, found{Facts: f})
	}
	return b
}

// TestPlan: what only one build has, or what has other figures there, is not compared.
func TestPlan(t *testing.T) {
	one := []string{"cpu"}
	core := subject.Facts{Name: "core", Kind: subject.Core, Figures: one}
	server := subject.Facts{Name: "server", Kind: subject.Server, Figures: []string{"server", "client"}}
	p := &plan{
		base:  buildOf(core, server, subject.Facts{Name: "gone", Figures: one}, subject.Facts{Name: "changed", Figures: one}),
		tree:  buildOf(core, server, subject.Facts{Name: "new", Figures: one}, subject.Facts{Name: "changed"}),
		only:  regexp.MustCompile("."),
		scale: 1,
	}
	gone, come := p.missing()
	if !slices.Equal(gone, []string{"gone"}) || !slices.Equal(come, []string{"new", "changed"}) {
		t.Errorf("found only in the base %q, only in the tree %q", gone, come)
	}
	want := []string{"core cpu", "server server"}
	if got := p.lacking(map[string]float64{"server client": .01}); !slices.Equal(got, want) {
		t.Errorf("found without a margin %q, want %q", got, want)
	}
	a, b := paces[subject.Core], paces[subject.Server]
	sum := sittings * (a.sitting + b.sitting)
	if got := p.takes(); got != sum {
		t.Errorf("the rounds take %v, want %v", got, sum)
	}
	p.only = regexp.MustCompile("^core")
	if got := p.lacking(nil); len(got) != 1 {
		t.Errorf("found %q of the subjects that match", got)
	}
}

// TestRows: a figure's row has the medians of its own rounds.
func TestRows(t *testing.T) {
	s := newSeries(2)
	for i := range int64(9) {
		s.add(&[2]subject.Answer{
			{Ns: []int64{100 + i, 10}, Instructions: 50}, {Ns: []int64{110 + i, 5}, Instructions: 60},
		}, 10)
	}
	rows := s.rows(&subject.Facts{Name: "a", Kind: subject.Core, Figures: []string{"x", "y"}})
	if x := rows[0]; x.Name != "a x" || x.Pairs != 9 || x.BaseNs != 10.4 || x.TreeNs != 11.4 || x.Instructions != [2]float64{5, 1.2} {
		t.Errorf("found %+v", x)
	}
	if y := rows[1]; y.Name != "a y" || y.Median != .5 || y.Hi != .5 || y.Instructions[0] != 0 {
		t.Errorf("found %+v", y)
	}
	must.Contain(t, settings(.5), "3 sittings, core of 500ms")
}
