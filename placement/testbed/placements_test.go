package testbed

import (
	"strings"
	"testing"

	"dpukv/internal/test/testbeds"
)

func parsedBed(t *testing.T, text string) Testbed {
	t.Helper()
	bed, err := Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return bed
}

// TestPlacementsAreTheStudys compares the placements with Table 2 and Figure 7a.
func TestPlacementsAreTheStudys(t *testing.T) {
	bed := parsedBed(t, testbeds.FourMachines)
	for name, want := range map[string]string{
		"CH-SH":    "hostB hostA",
		"CD-SH":    "hostB dpuA",
		"CDH-SH":   "hostB hostA dpuA",
		"CH-SD":    "dpuB hostA",
		"CD-SD":    "dpuB dpuA",
		"L-CD-SH":  "hostB dpuB",
		"HOSTS-SD": "dpuB hostA hostB",
	} {
		c, err := bed.Assign(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, n := range c.All() {
			got = append(got, n.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s runs on %v (server first), want %s", name, got, want)
		}
	}
}
