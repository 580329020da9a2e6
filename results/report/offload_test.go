package report

import (
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/chromium"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

// TestOffloadInABrowser: a run with parts on DPUs says what they save.
func TestOffloadInABrowser(t *testing.T) {
	b := chromium.NewBrowser(t)
	b.Open(t, page(t, runfoldertest.Create(t, resultstest.SplitPoints()), Options{}))
	if chromium.Eval[bool](t, b, `document.querySelector("#offload").hidden`) {
		t.Fatal("the part about what a DPU saves is hidden")
	}
	titles := chromium.Eval[[]string](t, b,
		`[...document.querySelectorAll("#offload-tables h3")].map(h => h.textContent)`)
	if len(titles) != 3 || !slices.ContainsFunc(titles, func(s string) bool {
		return strings.Contains(s, "noisy neighbour")
	}) {
		t.Errorf("found the tables %q, want those of placements, parts and neighbours", titles)
	}
	cells := chromium.Eval[[]string](t, b, `[...document.querySelectorAll("#offload-tables tr")]
		.find(r => r.textContent.startsWith("CH-ED-SH")).textContent.match(/0\.788×|155/g)`)
	if !slices.Contains(cells, "0.788×") || !slices.Contains(cells, "155") {
		t.Errorf("found %q in the row of the split server, want its ratio and its CPU time", cells)
	}
	painted := chromium.Eval[bool](t, b, `[...document.querySelectorAll("#offload canvas")].every(
		c => c.width > 300 && c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v))`)
	if n := chromium.Eval[int](t, b, `document.querySelectorAll("#offload canvas").length`); n != 1 || !painted {
		t.Errorf("found %d figures (painted: %v), want 1", n, painted)
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}
