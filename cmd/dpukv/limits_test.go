package main

import (
	"strings"
	"testing"

	"dpukv/results/threshold"
)

// TestThresholdHelp names each figure.
func TestThresholdHelp(t *testing.T) {
	help := strings.NewReplacer(",", " ", "\n", " ").Replace(thresholdHelp(""))
	for _, f := range threshold.Metrics() {
		name := strings.TrimPrefix(f.Shown(), "actual_")
		if !strings.Contains(help, " "+name+" ") {
			t.Errorf("found no %s in the help of --fail-if", name)
		}
	}
}
