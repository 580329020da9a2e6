package compare

import (
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestIgnore(t *testing.T) {
	a := resultstest.Curve(1e6, []int{1}, 4, func(p *results.Point) { p.Provider = "shm" })
	b := resultstest.Curve(1e6, []int{1}, 4, func(p *results.Point) { p.Provider = "softroce" })
	_, err := Compare(Side{Points: a}, Side{Points: b}, Options{})
	if !errors.Is(err, ErrNothingInCommon) ||
		!strings.Contains(err.Error(), `A has "over shm", B has "over softroce"`) {
		t.Errorf("found %v", err)
	}
	if _, err := Compare(Side{Points: a}, Side{Points: b}, Options{Ignore: []string{"provider"}}); err != nil {
		t.Error(err)
	}
	_, err = Compare(Side{Points: a}, Side{Points: b}, Options{Ignore: []string{"moon"}})
	must.Fail(t, err, "allowed: store")
}
