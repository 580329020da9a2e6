package table

import (
	"bytes"
	"fmt"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// writeEmulated marks the points of a model: one line an emulated testbed.
func writeEmulated(b *bytes.Buffer, points []*results.Point) {
	for _, g := range results.Group(results.Named("emulated_testbed"), points) {
		if bed := g[0].EmulatedTestbed; bed != "" {
			fmt.Fprintf(b, "Emulated testbed (%s of %d points): %s. These figures are a model's, "+
				"not those of DPUs and NICs.\n",
				numfmt.Grouped(len(g)), len(points), bed)
			if strings.Contains(bed, "unmodelled") {
				b.WriteString("Unmodelled: a machine with all the CPU time of this one, and no " +
					"model of another.\n")
			}
		}
	}
}
