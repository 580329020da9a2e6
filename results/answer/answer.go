package answer

import (
	"cmp"
	"slices"

	"dpukv/results"
)

// MinChange is the least relative difference that makes one line better than another.
const MinChange = 0.01

// Verdict is what a run shows about one case.
type Verdict string

// The verdicts.
const (
	Sure   Verdict = "sure"            // one line is better than all others
	Far    Verdict = "far apart"       // one line is, by so much that no test is needed
	Tie    Verdict = "no difference"   // the test tells the best line from not all others
	TooFew Verdict = "too few repeats" // for any verdict
	Only   Verdict = "only"            // only one line keeps the bound
	Alone  Verdict = "alone"           // there is one line
	None   Verdict = "none"            // no line keeps the bound
	Mixed  Verdict = "mixed"           // the cases have several verdicts
)

// Answer is the answer of a run.
type Answer struct {
	Verdict  Verdict `json:"verdict"` // of the single case, or that of all cases
	Text     string  `json:"text"`
	Emulated string  `json:"emulated,omitempty"` // the substitutes for hardware; empty: none
	// Rehearsal tells that machines were emulated: their profiles make the order and the factors.
	Rehearsal bool   `json:"rehearsal,omitempty"`
	Failed    string `json:"failed,omitempty"` // the points that are not compared
	Cases     []Case `json:"cases"`
}

// Case is the answer under one set of conditions.
type Case struct {
	Verdict   Verdict  `json:"verdict"`
	Condition string   `json:"condition,omitempty"` // what tells it from the others: "95 % GET"
	Best      string   `json:"best,omitempty"`      // label of the line of the highest figure
	Text      string   `json:"text"`
	Warnings  []string `json:"warnings,omitempty"` // about the marks behind the text

	behind []*results.Point // of those marks
}

// Options select the figure of a line.
type Options struct {
	Bound *results.Bound // nil: none
	// Metric is of the knee, or at the rate; nil: that of the bound, or DefaultLatency.
	Metric *results.Metric
	// RateOps is the offered rate at which latency ranks the lines; 0: throughput does. Then there
	// is no bound.
	RateOps float64
}

// DefaultLatency is p99, and p50 where the tails are those of an emulated CPU quota.
func DefaultLatency(points []results.Point) *results.Metric {
	if slices.ContainsFunc(points, func(p results.Point) bool { return p.UnderQuota() }) {
		return results.NamedMetric("p50")
	}
	return results.NamedMetric("p99")
}

// ofStores leaves out the points of no store to use, unless there are no others.
func ofStores(points []*results.Point) []*results.Point {
	unchecked := func(p *results.Point) bool { return p.Warnings.Has(results.Unchecked) }
	if kept := slices.DeleteFunc(slices.Clone(points), unchecked); len(kept) > 0 {
		return kept
	}
	return points
}

// Of returns the answer of a run. A run without a store's point that is ok has none.
func Of(points []results.Point, o Options) (Answer, bool) {
	points, _ = results.Separate(points)
	ok, failed := results.Split(points)
	if o.RateOps > 0 {
		ok, failed = openLoop(ok), atRate(failed, o.RateOps)
	}
	if len(ok) == 0 {
		return Answer{}, false
	}
	ok = ofStores(ok)
	if o.Metric == nil && o.Bound != nil {
		o.Metric = o.Bound.Metric
	}
	o.Metric = cmp.Or(o.Metric, DefaultLatency(points))
	q := newQuestion(ok)
	lines := results.LinesOf(ok)
	if o.RateOps > 0 {
		lines = linesByRate(ok)
	}
	races := q.races(lines)
	for i := range races {
		races[i].rank(&o)
	}
	judge(races)
	h := Answer{Emulated: emulatedText(ok), Failed: failedText(failed), Cases: []Case{}}
	for i := range races {
		h.Cases = append(h.Cases, races[i].answer(q.noun, &o))
	}
	if h.Verdict, h.Text = together(races, q.noun); h.Text == "" {
		h.Verdict, h.Text = allAlone(races)
	}
	if h.Text == "" {
		h.Verdict, h.Text = summary(h.Cases, races[0].is(q.noun), q.noun, races[0].by.fits)
	}
	rehearsal := func(r race) bool { return r.rehearsal() }
	if h.Rehearsal = slices.ContainsFunc(races, rehearsal); h.Rehearsal {
		h.Text = "Rehearsal on emulated machines, whose profiles decide the order and the " +
			"factors: " + h.Text
	}
	return h, true
}
