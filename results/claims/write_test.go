package claims

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// TestScalableFunctionIsLeftOut: off-path by a scalable function is not the study's off-path. No claim
// takes such points, also none of all submodes, and the text says so.
func TestScalableFunctionIsLeftOut(t *testing.T) {
	scalableFunction := func(p *results.Point) {
		p.Submode, p.ClientHashShare, p.ClientHashShareBy, p.Hash = "off-path-sf", 0.1, "sampling", "city64"
	}
	run := bf2(placed("mica", "CH-SH", 1.47e6, 1e5, all(1), scalableFunction),
		placed("mica", "CD-SH", 1e6, 2e5, all(1), scalableFunction))
	ev := Evidence{Runs: []Run{run}}
	outcomes := book(t).Evaluate(ev)
	for i := range outcomes {
		if o := &outcomes[i]; o.Measured != nil {
			t.Errorf("%s: %s was measured", o.Finding, o.Says)
		}
	}
	var b bytes.Buffer
	if err := Write(&b, ev, outcomes); err != nil || !strings.Contains(b.String(),
		"24 of them are off-path-sf and left out") {
		t.Errorf("%v, got %s", err, b.String()[:300])
	}
}

func TestWriteGolden(t *testing.T) {
	run := bf2(placed("mica", "CH-SH", 1.47e6, 1e5, all(1)),
		placed("mica", "CD-SH", 1e6, 2e5, all(1), func(p *results.Point) {
			p.Warnings = results.ReadWarnings("client-bound: …")
		}), placed("herd", "CH-SH", 9e6, 1e5, all(1), func(p *results.Point) {
			p.Transport, p.Provider, p.Emulated, p.Hash = "rdma", "softroce", true, "city128"
		}))
	ev := Evidence{Runs: []Run{run}}
	var b bytes.Buffer
	must.Do(t, Write(&b, ev, book(t).Evaluate(ev)))
	resultstest.Golden(t, "bf2.golden", b.Bytes())
	text, err := json.Marshal(book(t).Evaluate(ev))
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v, %s", err, text)
	}
}

// TestOtherWay: a figure of a claim with a direction has no minus sign.
func TestOtherWay(t *testing.T) {
	for want, x := range map[string]float64{"26 % the other way": -0.26, "71.5 %": 0.715, "0 %": 0} {
		if got := (&Outcome{Unit: "share"}).figure(x); got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

// TestCountOfClaims: the claims that are counted are those of the books, each with all its cases.
func TestCountOfClaims(t *testing.T) {
	for _, b := range books(t) {
		claims := 0
		for i := range b.Findings {
			claims += len(b.Findings[i].Claims)
		}
		if got := Count(b.Evaluate(Evidence{})); got != claims {
			t.Errorf("%s: found %d claims, want %d", b.Source.Name, got, claims)
		}
	}
}
