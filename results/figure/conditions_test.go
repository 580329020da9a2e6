package figure

import (
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
)

func TestFigureSaysItsConditions(t *testing.T) {
	svg, _ := overview(t, resultstest.LocalPoints(), "p99")
	must.Contain(t, string(svg),
		"MICA, 8 B keys, 8 B values, batch 64", "95 % GET", "throughput (Mops)", "p99 latency (µs)",
		"server CPU 0", "client CPU 1", "2 CPUs (AMD EPYC)", "3 repeats for 5 s: medians, bars show the range",
		"numbers at marks: client threads", "9 of 36 points with warnings", "1 point failed and not drawn",
		"Arial",
	)
}
