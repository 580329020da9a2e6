package load

import (
	"fmt"
	"strconv"
	"strings"
)

// Dist is the distribution of the keys that operations ask for: "uniform", or "zipf:T" with the
// exponent T, as [ParseDist] returns it. The zero value is uniform too.
type Dist string

// Uniform makes every key equally likely.
const Uniform Dist = "uniform"

const zipfPrefix = "zipf:"

// ParseDist reads "uniform" or "zipf:T" with the exponent T in [0,1), such as the usual
// "zipf:0.99". "zipf:0" is uniform. Equal distributions have equal results.
func ParseDist(s string) (Dist, error) {
	if s == string(Uniform) {
		return Uniform, nil
	}
	exponent, isZipf := strings.CutPrefix(s, zipfPrefix)
	theta, err := strconv.ParseFloat(exponent, 64)
	// The comparison is written so that it refuses NaN too.
	if !isZipf || err != nil || !(theta >= 0 && theta < 1) {
		return "", fmt.Errorf("key distribution: found %q, allowed: uniform, or zipf:T with T in "+
			"[0,1), such as zipf:0.99", s)
	}
	return Zipf(theta), nil
}

// Zipf returns the Zipf distribution with the exponent theta in [0,1). Zipf(0) is uniform.
func Zipf(theta float64) Dist {
	if theta == 0 {
		return Uniform
	}
	return Dist(zipfPrefix + strconv.FormatFloat(theta, 'g', -1, 64))
}

// Theta returns the exponent of the Zipf distribution, or 0 for uniform.
func (d Dist) Theta() float64 {
	exponent, _ := strings.CutPrefix(string(d), zipfPrefix)
	theta, err := strconv.ParseFloat(exponent, 64)
	if err != nil {
		return 0
	}
	return theta
}
