package compare

import (
	"encoding/json"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestTableGolden(t *testing.T) {
	base := resultstest.Curve(2e6, []int{1, 4, 8}, 6)
	few := resultstest.Curve(2e6, []int{1, 4}, 3)
	changed := append(scaled(base[:6], 1, 1), scaled(base[6:12], 1.2, 0.8)...)
	worse := scaled(base[12:], 1, 1.5)
	for i := range worse {
		worse[i].Warnings = results.ReadWarnings("client-bound: the client's threads were busy for 99 % of the time")
	}
	changed = append(changed, worse...)
	lost := append(changed[:12:12], resultstest.Point(resultstest.Failed("no answer"), func(p *results.Point) {
		p.ClientThreads, p.Transport, p.Mode, p.Access, p.Pages = 8, "", "", "", ""
	}))
	for name, sides := range map[string][2][]results.Point{
		"changed": {base, changed},
		"few":     {few, scaled(few, 2, 0.5)},
		"lost":    {base, lost},
	} {
		t.Run(name, func(t *testing.T) {
			c := must.Get(Compare(Side{Name: "runs/a", Machines: []string{"12 CPUs"}, Points: sides[0]},
				Side{Name: "runs/b", Points: sides[1]}, Options{}))(t)
			resultstest.Golden(t, name+".golden", write(t, c))
		})
	}
}

func TestTwoRunsHaveNoCommonRounds(t *testing.T) {
	base := resultstest.Curve(2e6, []int{1}, 4)
	c := must.Get(Compare(Side{Name: "a", Points: base}, Side{Name: "b", Points: base}, Options{}))(t)
	for name, text := range map[string]string{
		"table": string(write(t, c)), "JSON": string(must.Get(json.Marshal(c))(t)),
	} {
		if strings.Count(text, "two runs, no common rounds") != 1 {
			t.Errorf("%s: found %s, want the limit of two runs once", name, text)
		}
	}
}
