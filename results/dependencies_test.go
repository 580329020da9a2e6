package results_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNoPlotting checks that a load client, a store and the points themselves link no plotting
// library.
func TestNoPlotting(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command here: what packages import is not known")
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{.ImportPath}}",
		"dpukv/client", "dpukv/kvs/...", "dpukv/results", "dpukv/results/runfolder",
		"dpukv/hashbench/measure")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}
	for path := range strings.Lines(string(out)) {
		for _, part := range []string{"gonum.org/v1/plot", "font", "svg", "pdf", "x/image"} {
			if strings.Contains(path, part) {
				t.Errorf("found the import of %s, allowed: none that draws", strings.TrimSpace(path))
			}
		}
	}
}
