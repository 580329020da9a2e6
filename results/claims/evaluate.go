package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dpukv/results"
)

// Verdict is the answer of runs to a claim.
type Verdict string

// The verdicts. Over emulated or substitute parts, a suffix says so.
const (
	Agrees      Verdict = "agrees"
	Disagrees   Verdict = "disagrees"
	NotMeasured Verdict = "not measured"
)

// Outcome is one case of one claim.
type Outcome struct {
	Finding    string   `json:"finding"`
	Section    string   `json:"section"`
	Says       string   `json:"says"`
	Generation string   `json:"generation,omitempty"`
	GetRatio   *float64 `json:"get_ratio,omitempty"`
	// nil: the finding has more than one figure, in its words
	Study *float64 `json:"study,omitempty"`
	// of Study, Measured, Low and High: "ratio", "share", "Mops", "µs"
	Unit      string  `json:"unit,omitempty"`
	Expect    string  `json:"expect,omitempty"`
	Tolerance float64 `json:"tolerance"`
	Verdict   Verdict `json:"verdict"`
	// Substitute names the substitutes for hardware in the points used; it is empty if there are
	// none.
	Substitute string `json:"substitute,omitempty"`
	// Measured is the figure of the runs; nil: not measured. Low and High are its bounds over other
	// choices of repeats.
	Measured *float64 `json:"measured,omitempty"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Which    string   `json:"which,omitempty"` // pair it is of
	Why      string   `json:"why,omitempty"`   // the reason why it was not measured, or is doubtful
	Warned   int      `json:"warned"`          // points used that have warnings
	Points   int      `json:"points"`
	Doubts   []Doubt  `json:"doubts"`
}

// Doubt is one doubt about the study's method, with the runs' alternative.
type Doubt struct {
	Study   string `json:"study"`
	Instead string `json:"instead,omitempty"`
}

// Evaluate compares every claim with the runs.
func (b *Book) Evaluate(runs []Run) []Outcome {
	var list []Outcome
	for i := range b.Findings {
		f := &b.Findings[i]
		if f.Needs != "" {
			list = append(list, Outcome{
				Finding: f.ID, Section: f.Section, Says: f.Says, Verdict: NotMeasured,
				Why: "it needs " + f.Needs, Doubts: b.doubts(f, nil),
			})
		}
		for j := range f.Claims {
			for _, k := range f.Claims[j].Cases {
				list = append(list, b.evaluate(f, &f.Claims[j], k, runs))
			}
		}
	}
	return list
}

func (b *Book) evaluate(f *Finding, c *Claim, k Case, runs []Run) Outcome {
	o := Outcome{
		Finding: f.ID, Section: f.Section, Says: c.Says, Generation: k.Generation,
		GetRatio: k.GetRatio,
		Study:    &k.Study, Unit: c.unit(), Expect: c.Expect, Tolerance: *c.Tolerance,
		Verdict: NotMeasured,
	}
	found, why := c.findings(k, runs)
	lacking := append(c.A.lacking(runs, k), c.Over.lacking(runs, k)...)
	if len(found) > 0 && len(lacking) > 0 && c.Pick == "least" {
		found, why = nil, "no point of "+strings.Join(lacking, " or ")+
			", so that it is not known whether it is less"
	}
	if o.Why = why; len(found) == 0 {
		o.Doubts = b.doubts(f, nil)
		return o
	}
	pick := slices.MaxFunc[[]finding]
	if c.Pick == "least" {
		pick = slices.MinFunc[[]finding]
	}
	best := pick(found, func(x, y finding) int { return cmpFloat(x.value, y.value) })
	o.Verdict, o.Which = Disagrees, best.which
	if holds(c.Expect, best.value, k.Study, *c.Tolerance) {
		o.Verdict = Agrees
	}
	o.Measured, o.Low, o.High = &best.value, &best.low, &best.high
	if o.Why = ""; len(lacking) > 0 {
		o.Why = "without " + strings.Join(lacking, " and ") + ", of which there is no point"
	}
	o.Points, o.Warned, o.Substitute = len(best.points), warned(best.points),
		substitute(best.points)
	// Other repeats could contradict the verdict of the medians.
	agrees := o.Verdict == Agrees
	if holds(c.Expect, best.low, k.Study, *c.Tolerance) != agrees ||
		holds(c.Expect, best.high, k.Study, *c.Tolerance) != agrees {
		o.Why = strings.TrimPrefix(o.Why+"; the repeats are too far apart to be sure", "; ")
	}
	if n := estimated(best.points); c.Of == "hash share" && n > 0 {
		o.Why = strings.TrimPrefix(fmt.Sprintf("%s; %d of these points estimate the share from "+
			"the cost of one hash; they did not sample it", o.Why, n), "; ")
	}
	o.Doubts = b.doubts(f, best.points)
	return o
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// holds reports whether a figure meets the expectation.
func holds(expect string, figure, study, tolerance float64) bool {
	switch expect {
	case "at least":
		return figure >= study*(1-tolerance)
	case "at most":
		return figure <= study*(1+tolerance)
	}
	return math.Abs(figure-study) <= math.Abs(study)*tolerance
}

// doubts are the doubts about a finding, with the evidence of the points used; nil: no points were
// used.
func (b *Book) doubts(f *Finding, points []*results.Point) []Doubt {
	list := []Doubt{}
	for _, name := range f.Doubts {
		if len(points) > 0 && !concerns(name, points) {
			continue
		}
		d := Doubt{Study: b.Doubts[name]}
		if len(points) > 0 {
			d.Instead = instead[name](points)
		}
		list = append(list, d)
	}
	return list
}

// missing names what the runs lack for a selection.
func missing(runs []Run, s *Selector, k Case) string {
	generation := k.Generation
	if s.Generation != "" {
		generation = s.Generation
	}
	if !slices.ContainsFunc(runs, func(r Run) bool { return r.of(generation) }) {
		return "no run whose DPUs are " + title(generation)
	}
	what := []string{strings.ToUpper(s.Store)}
	for _, list := range [][]string{s.Placement, s.Submode, s.Hash} {
		if len(list) > 0 {
			what = append(what, strings.Join(list, " or "))
		}
	}
	if k.GetRatio != nil {
		what = append(what, fmt.Sprintf("%g %% GET", 100**k.GetRatio))
	}
	if generation != "" {
		what = append(what, title(generation))
	}
	return "no point of " + strings.Join(what, ", ")
}

// lacking are the placements and submodes of a selection without any point.
func (s *Selector) lacking(runs []Run, k Case) (list []string) {
	if s == nil {
		return nil
	}
	for _, placement := range s.Placement {
		one := *s
		if one.Placement = []string{placement}; len(choose(runs, &one, k.Generation,
			k.GetRatio)) == 0 {
			list = append(list, placement)
		}
	}
	for _, submode := range s.Submode {
		one := *s
		if one.Submode = []string{submode}; len(choose(runs, &one, k.Generation, k.GetRatio)) == 0 {
			list = append(list, strings.ToUpper(submode))
		}
	}
	return list
}

// unit is the unit of the claim's figures.
func (c *Claim) unit() string {
	switch {
	case c.Of == "hash share", c.Quantity == "lower", c.Quantity == "apart":
		return "share"
	case c.Over == nil && c.Of == "peak":
		return "Mops"
	case c.Over == nil && c.Of == "latency":
		return "µs"
	}
	return "ratio"
}

// title writes bf2 as BF-2.
func title(generation string) string {
	return strings.Replace(strings.ToUpper(generation), "BF", "BF-", 1)
}
