package claims

import (
	"slices"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

func TestGenerationsComeFromTheFolder(t *testing.T) {
	folder := runfoldertest.Create(t, nil,
		map[string]any{"node": "a", "kind": "host", "generation": "none of a DPU"},
		map[string]any{"node": "b", "kind": "dpu", "generation": "bf3"},
		map[string]any{"node": "c", "kind": "dpu", "profile": "bf3"},
		map[string]any{"node": "d", "kind": "dpu", "profile": "none"})
	runs, bad, err := OpenRun(folder)
	if err != nil || len(bad) > 0 || len(runs) != 1 || !slices.Equal(runs[0].Generations, []string{"bf3"}) {
		t.Errorf("found %+v, %v, %v", runs, bad, err)
	}
}

// TestOnPathDPU: the points of an on-path submode name no DPU as client or server. Its line in
// env.jsonl, also that of a DPU that could not be asked, makes them evidence.
func TestOnPathDPU(t *testing.T) {
	p := resultstest.LocalPoint(resultstest.WithID("sm1"))
	p.Store, p.Submode, p.Placement = "mica", "sm1", "CH-SH"
	for name, c := range map[string]struct {
		env  map[string]any
		want int
	}{
		"asked":     {map[string]any{"node": "d", "kind": "dpu", "generation": "bf2"}, 1},
		"not asked": {map[string]any{"node": "d", "kind": "dpu", "generation": "bf2", "error": "no route"}, 1},
		"not there": {map[string]any{"node": "h", "kind": "host"}, 0},
		"another":   {map[string]any{"node": "d", "kind": "dpu", "generation": "bf3"}, 0},
	} {
		runs, _, err := OpenRun(runfoldertest.Create(t, []results.Point{p}, c.env))
		must.Do(t, err)
		selector := Selector{Store: "mica", Submode: []string{"sm1", "sm2"}}
		if got := choose(runs, &selector, "bf2", nil); len(got) != c.want {
			t.Errorf("%s: found %d groups, want %d", name, len(got), c.want)
		}
	}
}
