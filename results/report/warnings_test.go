package report

import (
	"fmt"
	"slices"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

// TestWarningsFold folds warnings by kind: by their title, or without their numbers.
func TestWarningsFold(t *testing.T) {
	points := resultstest.Curve(1e6, []int{1, 2, 3}, 1, func(p *results.Point) {
		p.Warnings = results.ReadWarnings(
			fmt.Sprintf("client-bound: the client's threads used %d %% of their CPUs' time", 90+p.ClientThreads))
		if p.ClientThreads > 1 {
			p.Warnings = append(p.Warnings, results.ReadWarnings("another-node: client-bound: too",
				"client and server share CPUs [0]")...)
		}
		if p.ClientThreads == 3 {
			p.Status, p.Error = results.StatusFailed, "no answer"
		}
	})
	m := must.Get(Read(runfoldertest.Create(t, points), Options{}))(t)
	var got []string
	for _, k := range m.Warnings {
		got = append(got, fmt.Sprint(k.Title, k.Points))
	}
	want := []string{"the client's CPU is full[0 1]", "client and server share CPUs [0][1]"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestClaimsAreThoseOfTheCommand counts every claim once, and says of each what is measured.
func TestClaimsAreThoseOfTheCommand(t *testing.T) {
	m := must.Get(Read(study(t), Options{}))(t)
	counted := 0
	for _, n := range m.Claims.Count {
		counted += n
	}
	measured, missing := len(m.Claims.Cases), len(m.Claims.NotMeasured)
	if measured == 0 || missing == 0 || counted < measured+missing {
		t.Errorf("found %v, with %d measured and %d not", m.Claims.Count, measured, missing)
	}
	for _, c := range m.Claims.Cases {
		if c.Study == "" || c.Yours == "" || c.Word == "" || c.Behind == "" {
			t.Errorf("found %+v, want each text", c)
		}
	}
}
