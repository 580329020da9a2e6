package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/results"
)

// Outcome is one case of one claim.
type Outcome struct {
	Source      string   `json:"source"` // of the finding: "study"
	Finding     string   `json:"finding"`
	Section     string   `json:"section"`
	Says        string   `json:"says"`
	Generations []string `json:"generations,omitempty"` // whose figures are pooled
	GetRatio    *float64 `json:"get_ratio,omitempty"`
	// nil: the claim has no figure that dpukv measures
	Study   *float64 `json:"study,omitempty"`
	StudyTo *float64 `json:"study_to,omitempty"` // end of a range that begins with Study
	// OwnLimit tells that Study is this project's limit, since the source gives no figure.
	OwnLimit bool `json:"own_limit,omitempty"`
	// of Study, Measured, Low and High: "ratio", "share", "Mops", "µs"
	Unit      string  `json:"unit,omitempty"`
	Expect    string  `json:"expect,omitempty"`
	Tolerance float64 `json:"tolerance"`
	Verdict   Verdict `json:"verdict"`
	// Substitute names the substitutes for hardware in the points used; it is empty if there are
	// none.
	Substitute string `json:"substitute,omitempty"`
	// Measured is the figure of the runs; nil: not measured. Low and High are the ends of its
	// interval, and the range where there are too few repeats for one.
	Measured *float64  `json:"measured,omitempty"`
	Low      *float64  `json:"low,omitempty"`
	High     *float64  `json:"high,omitempty"`
	Which    string    `json:"which,omitempty"` // pair it is of
	Why      string    `json:"why,omitempty"`   // the reason of a verdict, or of a warning about it
	Warned   int       `json:"warned"`          // points used that have warnings
	Points   int       `json:"points"`
	Reports  int       `json:"reports,omitempty"` // of hash functions, used instead of points
	Warnings []Warning `json:"doubts"`

	used string // number of points or reports, in words
}

// Warning limits what a source's method shows. It comes with the runs' alternative.
type Warning struct {
	Study   string `json:"study"`
	Instead string `json:"instead,omitempty"`
}

// Evaluate compares every claim of every source with the evidence.
func (books Books) Evaluate(ev Evidence) (list []Outcome) {
	for _, b := range books {
		list = append(list, b.Evaluate(ev)...)
	}
	return list
}

// Evaluate compares every claim with the evidence.
func (b *Book) Evaluate(ev Evidence) []Outcome {
	var list []Outcome
	for i := range b.Findings {
		f := &b.Findings[i]
		for j := range f.Claims {
			c := &f.Claims[j]
			if c.Needs != "" {
				list = append(list, Outcome{
					Source: b.Source.Name, Finding: f.ID, Section: f.Section, Says: c.Says,
					Verdict: NotMeasured, Why: "it needs " + c.Needs, Warnings: b.warnings(f, nil),
				})
			}
			for _, k := range c.Cases {
				list = append(list, b.evaluate(f, c, k, &ev))
			}
		}
	}
	return list
}

func (b *Book) evaluate(f *Finding, c *Claim, k Case, ev *Evidence) Outcome {
	o := Outcome{
		Source: b.Source.Name, Finding: f.ID, Section: f.Section, Says: c.Says,
		Generations: k.Generations, GetRatio: k.GetRatio,
		Study: &k.Study, OwnLimit: c.OwnLimit, Unit: c.unit(), Expect: c.Expect,
		Tolerance: *c.Tolerance, Verdict: NotMeasured,
	}
	if k.To != 0 {
		o.StudyTo = &k.To
	}
	pool, why, lacking := c.pool(k, ev)
	lacking = append(lacking, c.lacking(k, ev)...)
	slices.Sort(lacking)
	lacking = slices.Compact(lacking)
	if len(pool) > 0 && len(lacking) > 0 && c.Pick == "least" {
		pool, why = nil, "nothing was measured of "+strings.Join(lacking, " or ")+
			", so that it is not known whether it is less"
	}
	if o.Why = why; len(pool) == 0 {
		o.Warnings = b.warnings(f, nil)
		return o
	}
	best := c.combine(pool)
	o.adopt(&best)
	o.judge(c, k, &best, lacking)
	o.Warnings = b.warnings(f, &best)
	return o
}

// adopt takes over a figure and the evidence behind it.
func (o *Outcome) adopt(f *finding) {
	o.Measured, o.Low, o.High, o.Which = &f.value, &f.low, &f.high, f.which
	o.Points, o.Reports, o.used = len(f.points), len(f.hashes), f.counted()
	o.Warned, o.Substitute = f.warned(), f.substitute()
}

// judge sets the verdict on a figure, with all reasons for it.
func (o *Outcome) judge(c *Claim, k Case, f *finding, lacking []string) {
	verdict, reason := c.verdict(f, k, lacking)
	var why []string
	if len(lacking) > 0 {
		why = append(why, "nothing was measured of "+strings.Join(lacking, ", "))
	}
	if reason != "" {
		why = append(why, reason)
	}
	if weak := f.weak(c.ofTail()); len(weak) > 0 {
		verdict, why = Inconclusive, append(why, weak...)
	}
	if n := estimated(f.points); c.Of == "hash share" && n > 0 {
		why = append(why, fmt.Sprintf("%d of these points estimate the share from the cost of "+
			"one hash; they did not sample it", n))
	}
	o.Verdict, o.Why = verdict, strings.Join(why, "; ")
}

// warnings are those about a finding, with the evidence of the figure; nil: there is none.
func (b *Book) warnings(of *Finding, f *finding) []Warning {
	list := []Warning{}
	for _, name := range of.Warnings {
		if f != nil && !concerns(name, f.points) {
			continue
		}
		d := Warning{Study: b.Warnings[name]}
		if f != nil {
			d.Instead = instead[name](f.points)
		}
		list = append(list, d)
	}
	return list
}

// ratios are the kinds of figures that are ratios even without over, or have no metric of stores.
var ratios = []string{
	"spread", "scaling", "hash bandwidth", "hash latency", "best hash bandwidth",
	"best hash latency", ofProbe,
}

// unit is the unit of the claim's figures.
func (c *Claim) unit() string {
	switch {
	case c.Quantity == "lower", c.Quantity == "apart":
		return "share"
	case c.Over == nil && c.Of == ofProbe:
		return cmp.Or(results.FigureMetric(c.Figure).Unit.Cell.Name, "share")
	case c.Over != nil, slices.Contains(ratios, c.Of):
		return "ratio"
	}
	m, _ := c.metric()
	return m.Unit.Cell.Name
}

// title writes bf2 as BF-2.
func title(generation string) string {
	if generation == Host {
		return "the host"
	}
	return strings.Replace(strings.ToUpper(generation), "BF", "BF-", 1)
}

func titles(generations []string) string {
	var list []string
	for _, g := range generations {
		list = append(list, title(g))
	}
	return strings.Join(list, " or ")
}
