package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dpukv/internal/field"
	"dpukv/internal/numfmt"
	"dpukv/internal/strictyaml"
	"dpukv/load"
)

// FromPeaks reports whether the rates follow from the peaks, which are measured first.
func (s *Sweep) FromPeaks() bool { return s.SLO != "" || s.Shares != nil }

// Peak returns the configuration in a closed loop, whose throughput is the peak.
func (c Config) Peak() Config {
	c.RateOps, c.RateShare, c.Arrivals = 0, 0, load.Constant
	return c
}

// PeakPoints lists the points of the configurations' peaks, each once.
func (s *Sweep) PeakPoints(configs []Config) []Point {
	var peaks []Config
	for i := range configs {
		if peak := configs[i].Peak(); !slices.Contains(peaks, peak) {
			peaks = append(peaks, peak)
		}
	}
	return s.shuffled(peaks)
}

// AtRate returns the configuration at a rate that is a share of the peak.
func (c Config) AtRate(rate, share float64) Config {
	c.RateOps, c.RateShare = rate, share
	return c
}

// rateToCome is the rate of configurations whose rates follow from the peaks. It makes them open
// loops. No point has it.
const rateToCome = 1

// searched are the shares of the peak that a search measures first, if the file names none.
var searched = []float64{0.1, 0.25, 0.5, 0.75, 0.9}

// RateShares returns the shares of the peak to measure, ascending.
func (s *Sweep) RateShares() []float64 {
	if s.Shares == nil {
		return slices.Clone(searched)
	}
	var shares []float64
	for _, text := range s.Shares {
		if r, ok := parseShares(text); ok {
			shares = append(shares, r.shares()...)
		}
	}
	slices.Sort(shares)
	return slices.Compact(shares)
}

// shareRange is a value of the key rates in per cent of the peak: one share, or several at equal
// distances.
type shareRange struct{ from, to, step float64 }

const (
	maxShare      = 200 // an open loop may exceed the peak of a closed one
	maxShares     = 1000
	sharesAllowed = "shares of the peak such as 50%, or a range such as 10%..90% by 20%"
)

// parseShares reads "10%" or "10%..90% by 20%".
func parseShares(text string) (r shareRange, ok bool) {
	from, rest, isRange := strings.Cut(text, "..")
	if !isRange {
		r.from, ok = parseShare(text)
		r.to, r.step = r.from, r.from
		return r, ok
	}
	to, step, stepped := strings.Cut(rest, " by ")
	if !stepped {
		return r, false
	}
	var oks [3]bool
	r.from, oks[0] = parseShare(from)
	r.to, oks[1] = parseShare(to)
	r.step, oks[2] = parseShare(step)
	ok = oks == [3]bool{true, true, true} && r.from < r.to && (r.to-r.from)/r.step < maxShares
	return r, ok
}

func parseShare(text string) (percent float64, ok bool) {
	number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	percent, err := strconv.ParseFloat(number, 64)
	return percent, ok && err == nil && percent > 0 && percent <= maxShare
}

func (r shareRange) String() string {
	one := func(x float64) string { return numfmt.Plain(x) + "%" }
	if r.from == r.to {
		return one(r.from)
	}
	return one(r.from) + ".." + one(r.to) + " by " + one(r.step)
}

// shares returns the shares. It drops the error of binary fractions.
func (r shareRange) shares() (list []float64) {
	const tolerance = 1e-9
	for i := 0; r.from+float64(i)*r.step <= r.to*(1+tolerance); i++ {
		list = append(list, math.Round((r.from+float64(i)*r.step)*1e7)/1e9)
	}
	return list
}

// withShares lets the key of the rates have shares of the peak, too.
func withShares(k sweepKey) sweepKey {
	rates := k
	c := field.Text(rates.allowed+"; or "+sharesAllowed, func(text string) (string, bool) {
		if r, ok := parseShares(text); ok {
			return r.String(), true
		}
		rate, err := rates.canonical(text)
		return rate, err == nil
	})
	k.canonical, k.allowed = c.Parse, c.Allowed
	k.help += " A share needs the unit %, and follows from the measured peak."
	k.example = "[10%, 50%, 90%]"
	k.read = func(f *strictyaml.File, s *Sweep, n ast.Node) {
		s.setRates(f, readAxis(f, s, k.name, n, c))
	}
	k.texts = func(s *Sweep) []string {
		if s.Shares != nil {
			return s.Shares
		}
		return rates.texts(s)
	}
	k.multiply = func(s *Sweep, configs []Config) []Config {
		if !s.FromPeaks() {
			return rates.multiply(s, configs)
		}
		for i := range configs {
			configs[i].RateOps = rateToCome
		}
		return configs
	}
	return k
}

// setRates takes values of the key: all are shares, or none is.
func (s *Sweep) setRates(f *strictyaml.File, values []string) {
	isShare := func(text string) bool { return strings.HasSuffix(text, "%") }
	other := slices.IndexFunc(values, func(text string) bool {
		return isShare(text) != isShare(values[0])
	})
	switch {
	case other > 0:
		f.Fault(s.where["rate="+values[other]], "rate: found %s beside %s, allowed: only shares "+
			"of the peak, or none", values[other], values[0])
	case len(values) > 0 && isShare(values[0]):
		s.Shares = values
	default:
		s.Axes = s.Axes.with("rate", values...)
	}
}
