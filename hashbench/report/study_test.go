package report

import (
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/plot/vg"

	"dpukv/hashbench/result"
	"dpukv/hashbench/result/resulttest"
	"dpukv/internal/test/must"
)

// TestDrawStudy: one figure has both panels, on a wide page side by side.
func TestDrawStudy(t *testing.T) {
	machines := []Machine{
		{"host", resulttest.Report(1, "Xeon")}, {"bf2", resulttest.Report(2, "Cortex-A72")},
	}
	for _, width := range []vg.Length{0, 85 * vg.Millimeter, 178 * vg.Millimeter} {
		dir := t.TempDir()
		formats := []string{"svg", "pdf"}
		paths := must.Get(DrawStudy(dir, machines, Page{Width: width, Formats: formats}))(t)
		if len(paths) != 2 || filepath.Base(paths[0]) != "fig10.svg" {
			t.Errorf("wrote %q", paths)
		}
		svg, err := os.ReadFile(paths[0])
		if err == nil {
			err = wellFormed(svg)
		}
		if err != nil {
			t.Fatal(err)
		}
		must.Contain(t, string(svg), "time per hash, ns", "bandwidth, GB/s", ">bf2<", "16 B", "256 KiB")
	}
	r := resulttest.Report(1, "Xeon")
	r.Results = []result.Result{}
	if _, err := DrawStudy(t.TempDir(), []Machine{{"host", r}}, Page{}); err == nil {
		t.Error("a report without the cases was drawn")
	}
}
