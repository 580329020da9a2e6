package load

import (
	"fmt"
	"strconv"
	"strings"
)

// Dist is the distribution of the keys that operations ask for, as [ParseDist] returns it. The zero
// value is uniform. [Generator] says what each distribution draws.
type Dist string

// The distributions without parameters.
const (
	Uniform    Dist = "uniform"    // every key is equally likely
	Sequential Dist = "sequential" // each thread asks for its own range of keys in turn
)

// DistAllowed is the range of distributions in words.
const DistAllowed = "uniform; zipf:T with T from 0 to 100; hotspot:K:O, a share K of the keys " +
	"for a share O of the operations; gaussian:M:S, median and deviation in shares of the keys; " +
	"latest:T; sequential"

// distKind is a distribution without its parameters.
type distKind uint8

const (
	uniformKeys distKind = iota
	zipfKeys
	hotspotKeys
	gaussianKeys
	latestKeys
	sequentialKeys
)

// distShape is a family of distributions: its name, its parameters, their defaults.
type distShape struct {
	kind     distKind
	name     string
	defaults []string // of the parameters; nil: each must be given
	count    int      // of parameters
	allowed  func(x []float64) bool
}

// maxTheta is an exponent at which one key gets all operations but one in 2¹⁰⁰.
const maxTheta = 100

// The comparisons are written so that they refuse NaN too.
var distShapes = []distShape{
	{kind: uniformKeys, name: string(Uniform)},
	{
		kind: zipfKeys, name: "zipf", count: 1,
		allowed: func(x []float64) bool { return x[0] >= 0 && x[0] <= maxTheta },
	},
	{
		kind: hotspotKeys, name: "hotspot", count: 2,
		allowed: func(x []float64) bool { return x[0] > 0 && x[0] < 1 && x[1] >= 0 && x[1] <= 1 },
	},
	{
		// memtier_benchmark has these defaults: the middle, and a sixth of the keys.
		kind: gaussianKeys, name: "gaussian", count: 2, defaults: []string{"0.5", "0.1667"},
		allowed: func(x []float64) bool { return x[0] >= 0 && x[0] <= 1 && x[1] > 0 && x[1] <= 1 },
	},
	{
		// YCSB has this default.
		kind: latestKeys, name: "latest", count: 1, defaults: []string{"0.99"},
		allowed: func(x []float64) bool { return x[0] >= 0 && x[0] <= maxTheta },
	},
	{kind: sequentialKeys, name: string(Sequential)},
}

// ParseDist reads a distribution, such as "uniform" or the usual "zipf:0.99". "zipf:0" is uniform.
// Equal distributions have equal results.
func ParseDist(s string) (Dist, error) {
	kind, x, ok := splitDist(s)
	if !ok {
		return "", fmt.Errorf("key distribution: found %q, allowed: %s", s, DistAllowed)
	}
	if kind == zipfKeys {
		return Zipf(x[0]), nil
	}
	text, _, _ := strings.Cut(s, ":")
	for _, number := range x {
		text += ":" + strconv.FormatFloat(number+0, 'g', -1, 64) // -0 becomes 0
	}
	return Dist(text), nil
}

// splitDist reads a distribution's kind and its parameters.
func splitDist(s string) (kind distKind, x []float64, ok bool) {
	words := strings.Split(s, ":")
	for _, shape := range distShapes {
		if shape.name != words[0] {
			continue
		}
		given := words[1:]
		if len(given) == 0 {
			given = shape.defaults
		}
		for _, word := range given {
			number, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return 0, nil, false
			}
			x = append(x, number)
		}
		return shape.kind, x, len(x) == shape.count && (shape.count == 0 || shape.allowed(x))
	}
	return 0, nil, false
}

// Zipf returns the Zipf distribution with the exponent theta of 0 to 100. Zipf(0) is uniform.
func Zipf(theta float64) Dist {
	if theta == 0 {
		return Uniform
	}
	return Dist("zipf:" + strconv.FormatFloat(theta, 'g', -1, 64))
}
