package probechart

import (
	"encoding/json"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

func TestBandwidthTable(t *testing.T) {
	nodes := NewNodes([]json.RawMessage{
		json.RawMessage(`{"node": "dpuB", "kind": "dpu", "generation": "bf2"}`),
	})
	list := Bandwidths(resultstest.StudyProbes(), nodes)
	var b strings.Builder
	must.Do(t, BandwidthTable(list).WriteText(&b))
	want := `memory bandwidth, GB/s
kernel  code   dpuB BF-2, 1 thread  dpuB BF-2, 8 threads  hostB, 1 thread  hostB, 12 threads
copy    study           2.09 ±0.04            6.80 ±0.14       8.70 ±0.17          22.3 ±0.4
scale   study           2.30 ±0.05            7.48 ±0.15       9.57 ±0.19          24.5 ±0.5
add     study           2.51 ±0.05            8.16 ±0.16       10.4 ±0.2           26.8 ±0.5
triad   study           2.72 ±0.05            8.84 ±0.18       11.3 ±0.2           29.0 ±0.6
`
	if squeezed(b.String()) != squeezed(want) {
		t.Errorf("found\n%s, want\n%s", b.String(), want)
	}
	b.Reset()
	must.Do(t, WriteBandwidths(&b, list))
	if want := "dpuB BF-2,copy,study,8,2,6800000000,6664000000,6936000000,false\n"; !strings.Contains(
		b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	if BandwidthTable(nil) != nil {
		t.Error("there is a table of nothing")
	}
}

// squeezed has one space for several.
func squeezed(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

// TestColumn: the setting "all" is no number.
func TestColumn(t *testing.T) {
	for threads, want := range map[int]string{0: "dpuA, all threads", 1: "dpuA, 1 thread", 8: "dpuA, 8 threads"} {
		b := Bandwidth{Node: "dpuA", Threads: threads}
		if got := b.column(); got != want {
			t.Errorf("%d: got %q, want %q", threads, got, want)
		}
	}
}
