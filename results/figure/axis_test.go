package figure

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// An axis has neither too few nor too many labels.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Float64Range(0.001, 1e6).Draw(t, "top")
		ticks := linearTicks{most: 8}.Ticks(0, top)
		if n := len(ticks); n < 4 || n > 9 {
			t.Fatalf("%d ticks on 0 to %v", n, top)
		}
		if ticks[0].Label != "0" && strings.Trim(ticks[0].Label, "0.") != "" {
			t.Fatalf("first tick is %q", ticks[0].Label)
		}
		bottom := rapid.Float64Range(0.01, 1e4).Draw(t, "bottom")
		labelled := 0
		for _, tick := range (logTicks{}).Ticks(bottom*0.7, bottom*rapid.Float64Range(1, 1e5).Draw(t, "range")*1.4) {
			if tick.Label != "" {
				labelled++
			}
		}
		if labelled < 1 || labelled > 12 {
			t.Fatalf("%d labels on a logarithmic axis from %v", labelled, bottom)
		}
	})
}
