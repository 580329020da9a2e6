package figure

import (
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestQuotaLeavesTailsOut(t *testing.T) {
	none := results.Node{Node: "hostB", Kind: "host", Profile: "none"}
	dpu := results.Node{Node: "dpuA", Kind: "dpu", Profile: "bf2"}
	for name, c := range map[string]struct {
		edit    func(*results.Point)
		metrics string
		drawn   []string
		note    string
	}{
		"no emulation": {func(*results.Point) {}, "", []string{"p50", "p99"}, ""},
		"no profile":   {func(p *results.Point) { p.ServerNode = none }, "", []string{"p50", "p99"}, ""},
		"a client with a quota": {
			func(p *results.Point) { p.Clients = []results.ClientShare{{Node: dpu}} }, "",
			[]string{"p50"},
			"medians only: the emulated machines' CPU quotas distort tails and means",
		},
		"a server with a quota, and a tail": {
			func(p *results.Point) { p.ServerNode = dpu }, "p99",
			[]string{"p99"},
			"tails and means: artefacts of the emulated machines' CPU quotas, not a DPU's",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var o Options
			if c.metrics != "" {
				o.Metrics = metrics(t, c.metrics)
			}
			figures := must.Get(o.figures([]results.Point{resultstest.Point(c.edit)}))(t)
			var drawn []string
			for _, f := range figures {
				drawn = append(drawn, f.panels[0].metric.Short)
			}
			if !slices.Equal(drawn, c.drawn) {
				t.Errorf("drew %q, want %q", drawn, c.drawn)
			}
			said := strings.Join(figures[0].conditions(), " · ")
			if strings.Contains(said, "quota") != (c.note != "") || !strings.Contains(said, c.note) {
				t.Errorf("conditions: %s", said)
			}
		})
	}
}
