package table

import (
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

// TestProbes: a table for each kind and test, and none of stores.
func TestProbes(t *testing.T) {
	var b strings.Builder
	must.Do(t, Write(&b, resultstest.StudyProbes()))
	resultstest.Golden(t, "probes.golden", []byte(b.String()))
	if strings.Contains(b.String(), "throughput  p50") {
		t.Errorf("probes are in the table of stores:\n%s", b.String())
	}
}
