package claims

import (
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// Verdict is the answer of runs to a claim.
type Verdict string

// The verdicts. Over emulated or substitute parts, a suffix says so.
const (
	Agrees       Verdict = "agrees"
	Disagrees    Verdict = "disagrees"
	Inconclusive Verdict = "inconclusive" // the runs are no evidence for either
	NotMeasured  Verdict = "not measured"
)

// minRepeats is the least number of repeats for a verdict, as in package compare.
const minRepeats = 4

// slack allows for the rounding of a figure that equals a limit.
const slack = 1e-9

// band is the range of figures that agree with a case. A tolerance is relative to the ratio behind
// a difference: 12 % lower is a ratio of 0.88.
func (c *Claim) band(k Case) (low, high float64) {
	t, to := *c.Tolerance, max(k.Study, k.To)
	switch c.Quantity {
	case "lower":
		low, high = 1-(1-k.Study)*(1+t), 1-(1-to)*(1-t)
	case "apart":
		low, high = (1+k.Study)*(1-t)-1, (1+to)*(1+t)-1
	default:
		low, high = k.Study*(1-t), to*(1+t)
	}
	return low - slack, high + slack
}

// verdict holds the interval of a figure against the band. Both its ends must be on the same side
// of a limit.
func (c *Claim) verdict(f *finding, k Case, lacking []string) (Verdict, string) {
	low, high := c.band(k)
	above, below := f.low > high, f.high < low
	agrees := c.Expect == "at least" && f.low >= low || c.Expect == "at most" && f.high <= high ||
		f.low >= low && f.high <= high
	elsewhere := c.Pick == "greatest" && len(lacking) > 0 &&
		(c.Expect == "up to" && below || c.Expect == "at most" && agrees)
	switch {
	case elsewhere:
		return Inconclusive, "the greatest of all may be one of the missing"
	case agrees:
		return Agrees, ""
	case above && c.Expect != "at least", below && c.Expect != "at most":
		return Disagrees, ""
	}
	return Inconclusive, "the interval reaches across the limit: more repeats make it narrower"
}

// weak lists why points are no evidence, whatever their figures are. For a claim about the tail,
// warnings about the tail count, too.
func (f *finding) weak(tail bool) (reasons []string) {
	if f.repeats < minRepeats {
		reasons = append(reasons, fmt.Sprintf("repeats of a point: found %d, needed: %d",
			f.repeats, minRepeats))
	}
	if n, example := f.disturbed(tail); n > 0 {
		reasons = append(reasons, fmt.Sprintf("%d of %s %s disturbed, such as by this: %s", n,
			f.counted(), numfmt.Are(n), example))
	}
	return reasons
}

// harmless leave mean and throughput as they are: about a limit that a claim may well be about,
// about the tail, about substitutes, which the verdict names, about intervals, which it takes into
// account, and about cycles.
var harmless = []results.Kind{
	results.ClientBound, results.ComputeBound, results.Spinning, results.TooShortP999,
	results.RateMissed, results.ScheduleHeld, results.Substitute, results.Coarse, results.Overload,
}

// ofTheTail leave mean and throughput as they are, but not p99.
var ofTheTail = []results.Kind{results.TooShortP99, results.EmulatedTails}

// ofEmulation are of an emulated testbed, on few CPUs or between a DPU and its host. The verdict
// says that the testbed is emulated, and is about the order of its parts.
var ofEmulation = []results.Kind{results.SharedForward, results.PlaysPCIe}

// disturbed counts the points and reports with other than harmless warnings, and returns one.
func (f *finding) disturbed(tail bool) (n int, example string) {
	count := func(warnings results.Warnings, emulated bool) {
		for _, w := range warnings {
			if !slices.Contains(harmless, w.Kind) &&
				(tail || !slices.Contains(ofTheTail, w.Kind)) &&
				!(emulated && slices.Contains(ofEmulation, w.Kind)) {
				n, example = n+1, w.String()
				return
			}
		}
	}
	for _, p := range f.points {
		count(p.Warnings, p.EmulatedTestbed != "")
	}
	for _, h := range f.hashes {
		count(results.ReadWarnings(h.Warnings...), false)
	}
	return n, example
}

// warned counts the points and reports that have warnings of any kind.
func (f *finding) warned() (n int) {
	for _, p := range f.points {
		n += min(len(p.Warnings), 1)
	}
	for _, h := range f.hashes {
		n += min(len(h.Warnings), 1)
	}
	return n
}

// counted is the number of points or reports, in words.
func (f *finding) counted() string {
	if len(f.hashes) > 0 {
		return numfmt.Count(len(f.hashes), "report") + " of hash functions"
	}
	return numfmt.Count(len(f.points), "point")
}

// substitute names the substitutes for hardware behind the figure.
func (f *finding) substitute() string {
	said := []string{substitute(f.points)}
	for _, h := range f.hashes {
		said = append(said, h.Substitute)
	}
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
	return strings.Join(slices.Compact(said), " and ")
}
