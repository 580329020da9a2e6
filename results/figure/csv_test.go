package figure

import (
	"testing"

	"dpukv/results/resultstest"
)

func TestFigureCSVGolden(t *testing.T) {
	_, csv := overview(t, resultstest.LocalPoints(), "p99.9")
	resultstest.Golden(t, "figure-overview.csv.golden", csv)
}
