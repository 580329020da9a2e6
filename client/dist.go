package client

import (
	"fmt"
	"strconv"
	"strings"
)

// Dist is the distribution of the keys that operations ask for. The zero value
// is uniform.
type Dist struct {
	// theta is the exponent of a Zipf distribution; 0 makes every key equally likely.
	theta float64
}

// ParseDist reads "uniform" or "zipf:T" with the exponent T in [0,1), such as the usual
// "zipf:0.99". "zipf:0" is uniform.
func ParseDist(s string) (Dist, error) {
	if s == "uniform" {
		return Dist{}, nil
	}
	exponent, isZipf := strings.CutPrefix(s, "zipf:")
	theta, err := strconv.ParseFloat(exponent, 64)
	// Written so that NaN is refused too.
	if !isZipf || err != nil || !(theta >= 0 && theta < 1) {
		return Dist{}, fmt.Errorf("key distribution %q is neither uniform nor zipf:T with T in [0,1), such as zipf:0.99", s)
	}
	return Dist{theta}, nil
}

// Theta is the exponent of the Zipf distribution, 0 for uniform.
func (d Dist) Theta() float64 { return d.theta }

func (d Dist) String() string {
	if d.theta == 0 {
		return "uniform"
	}
	return "zipf:" + strconv.FormatFloat(d.theta, 'g', -1, 64)
}

// MarshalText makes a distribution a string in JSON.
func (d Dist) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText is [ParseDist].
func (d *Dist) UnmarshalText(text []byte) error {
	parsed, err := ParseDist(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
