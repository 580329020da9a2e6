package claims

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

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
	if err := Write(&b, ev, book(t).Evaluate(ev)); err != nil {
		t.Fatal(err)
	}
	resultstest.Golden(t, "bf2.golden", b.Bytes())
	text, err := json.Marshal(book(t).Evaluate(ev))
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v, %s", err, text)
	}
}
