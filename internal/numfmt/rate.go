package numfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Rate writes operations per second with three significant digits: "2.53 Mops".
func Rate(ops float64) string {
	return RateUnit(ops).Of(ops)
}

// ExactRate writes operations per second with four significant digits at most: "2.534 Mops".
func ExactRate(ops float64) string { return RateUnit(ops).Exact(ops) }

// RateUnit is the unit for the greatest of some rates, in operations per second. A column and an
// axis have one unit.
func RateUnit(greatest float64) Unit { return rateScale.Unit(greatest) }

// rates are the units of [ParseRate]. One that ends another stands behind it.
var rates = []struct {
	suffix string
	ops    float64
}{{"kops", 1e3}, {"Mops", 1e6}, {"ops/s", 1}, {"ops", 1}}

// ParseRate reads operations per second, with or without a unit: "500kops", "5e5".
func ParseRate(text string) (float64, error) {
	number, unit := strings.TrimSpace(text), 1.0
	for _, r := range rates {
		if n, found := strings.CutSuffix(number, r.suffix); found {
			number, unit = strings.TrimSpace(n), r.ops
			break
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if ops := x * unit; err == nil && ops > 0 && !math.IsInf(ops, 0) {
		return ops, nil
	}
	return 0, fmt.Errorf("rate: found %q, allowed: operations per second above zero, such as "+
		"500kops, 0.5Mops or 5e5", text)
}
