package claims

import (
	"slices"
	"testing"

	"dpukv/results/runfolder/runfoldertest"
)

func TestGenerationsComeFromTheFolder(t *testing.T) {
	folder := runfoldertest.Create(t, nil,
		map[string]any{"node": "a", "kind": "host", "generation": "none of a DPU"},
		map[string]any{"node": "b", "kind": "dpu", "generation": "bf3"},
		map[string]any{"node": "c", "kind": "dpu", "profile": "bf3"})
	run, bad, err := OpenRun(folder)
	if err != nil || len(bad) > 0 || !slices.Equal(run.Generations, []string{"bf3"}) {
		t.Errorf("found %q, %v, %v", run.Generations, bad, err)
	}
}
