package run

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/sweep"
)

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if slices.Contains(testbedExamples, name) {
			continue
		}
		testbed := ""
		if strings.HasPrefix(name, "fig") || strings.HasPrefix(name, "placements") ||
			strings.HasPrefix(name, "lynx") || name == "split" || name == "filters" {
			testbed = "../../examples/netns.yaml"
		}
		plan, err := NewPlan(Options{SweepFile: file, TestbedFile: testbed, Dir: filepath.Join(t.TempDir(), "run")})
		if err != nil {
			t.Error(err)
			continue
		}
		var out strings.Builder
		if err := DryRun(&out, plan); err != nil {
			t.Error(err)
		}
		if name == "filters" {
			must.Contain(t, out.String(),
				"drop-client:192.0.2.1-192.0.2.200", "drop-key-hash:64-95", "count-opcode",
				"24 points")
		}
		if file != "../../examples/mica.yaml" {
			continue
		}
		if d := sweep.Default(); sweep.Differences(&plan.sweep, &d) != nil {
			t.Errorf("%s says it has the defaults, but %v", file, sweep.Differences(&plan.sweep, &d))
		}
		if !strings.Contains(out.String(), "72 points") {
			t.Errorf("%s says it has 72 points:\n%s", file, out.String())
		}
	}
}
