package claims

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestWriteGolden(t *testing.T) {
	run := bf2(placed("mica", "CH-SH", 1.47e6, 1e5, all(1)),
		placed("mica", "CD-SH", 1e6, 2e5, all(1), func(p *results.Point) {
			p.Warnings = []string{"client-bound: …"}
		}), placed("herd", "CH-SH", 9e6, 1e5, all(1), func(p *results.Point) {
			p.Transport, p.Provider, p.Emulated, p.Hash = "rdma", "softroce", true, "city128"
		}))
	var b bytes.Buffer
	if err := Write(&b, []Run{run}, book(t).Evaluate([]Run{run})); err != nil {
		t.Fatal(err)
	}
	resultstest.Golden(t, "bf2.golden", b.Bytes())
	text, err := json.Marshal(book(t).Evaluate([]Run{run}))
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v, %s", err, text)
	}
}
