package results

import (
	"bytes"
	"fmt"
)

// writeEmulated says which rows are a model's: once for each testbed and provider.
func writeEmulated(b *bytes.Buffer, points []*Point) {
	for _, g := range group(named("emulated_testbed"), points) {
		if bed := g[0].EmulatedTestbed; bed != "" {
			fmt.Fprintf(b, "Emulated testbed (%s of %d points): %s. These are a model's figures, not those of DPUs and NICs.\n",
				grouped(len(g)), len(points), bed)
		}
	}
}
