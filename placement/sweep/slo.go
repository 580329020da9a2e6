package sweep

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/field"
	"dpukv/results"
)

// slo is the bound of a search, or "none".
var slo = field.Or(none, field.Text("", func(text string) (string, bool) {
	b, err := results.ParseBound(text)
	if err != nil {
		return "", false
	}
	return b.Text(), true
})).As("METRIC=TIME such as p99=200us, with one of " +
	strings.Join(results.Names(results.LatencyMetrics()), ", ") + "; or none")

// Search makes the sweep a search within a bound.
func (s *Sweep) Search(bound string) (err error) {
	if s.SLO, err = slo.Parse(bound); err != nil || s.SLO == "" {
		return fmt.Errorf("--slo: found %s, allowed: METRIC=TIME such as p99=200us", bound)
	}
	return nil
}

// Bound returns the bound of a search.
func (s *Sweep) Bound() (results.Bound, error) { return results.ParseBound(s.SLO) }

// CheckRates refuses a search among rates that are given.
func CheckRates(s *Sweep) error {
	rates := s.Axes["rate"]
	if s.SLO == "" || s.Shares != nil || slices.Equal(rates, Default().Axes["rate"]) {
		return nil
	}
	return fmt.Errorf("%srate: found %s with slo, allowed: shares of the peak, such as 10%%; or "+
		"leave rate out", s.Place("rate", rates[0]), strings.Join(rates, ", "))
}
