package headline

import (
	"cmp"
	"slices"

	"dpukv/results"
	"dpukv/results/compare"
)

// MinChange is the least relative difference that makes one line better than another.
const MinChange = 0.01

// Verdict is what a run shows about one case.
type Verdict string

// The verdicts.
const (
	Sure   Verdict = "sure"            // one line is better than all others
	Tie    Verdict = "no difference"   // the test tells the best line from not all others
	TooFew Verdict = "too few repeats" // for any verdict
	Only   Verdict = "only"            // only one line keeps the bound
	Alone  Verdict = "alone"           // there is one line
	None   Verdict = "none"            // no line keeps the bound
	Mixed  Verdict = "mixed"           // the cases have several verdicts
)

// Headline is the answer of a run.
type Headline struct {
	Verdict  Verdict `json:"verdict"` // of the single case, or that of all cases
	Text     string  `json:"text"`
	Emulated string  `json:"emulated,omitempty"` // the substitutes for hardware; empty: none
	Failed   string  `json:"failed,omitempty"`   // the points that are not compared
	Cases    []Case  `json:"cases"`
}

// Case is the answer under one set of conditions.
type Case struct {
	Verdict   Verdict  `json:"verdict"`
	Condition string   `json:"condition,omitempty"` // what tells it from the others: "95 % GET"
	Best      string   `json:"best,omitempty"`      // label of the line of the highest figure
	Text      string   `json:"text"`
	Warnings  []string `json:"warnings,omitempty"` // about the marks behind the text
}

// Options select the figure of a line.
type Options struct {
	Bound  *results.Bound        // nil: none
	Metric results.LatencyMetric // of the knee
}

// Of returns the headline of a run. A run without a point that is ok has none.
func Of(points []results.Point, o Options) (Headline, bool) {
	ok, failed := results.Split(points)
	if len(ok) == 0 {
		return Headline{}, false
	}
	q := newQuestion(ok)
	races := q.races(results.Lines(points))
	for i := range races {
		races[i].run(&o)
	}
	judge(races)
	h := Headline{Emulated: emulatedText(ok), Failed: failedText(failed), Cases: []Case{}}
	for i := range races {
		h.Cases = append(h.Cases, races[i].answer(q.noun, &o))
	}
	h.Verdict, h.Text = summary(h.Cases, q.noun)
	return h, true
}

// entry is one line of a race.
type entry struct {
	line   *results.Line
	label  string
	mark   *results.Mark // nil: the line does not keep the bound
	figure float64       // median throughput of mark
}

// race is a case at work: lines that differ only in what is compared.
type race struct {
	condition string
	entries   []entry // by falling figure; those without one last
	basis     string  // "at the peak"
	row       compare.Row
	close     []string // labels of the lines that the test does not tell from the best
}

// run chooses the marks, ranks the lines, and tests the best against each other one.
func (r *race) run(o *Options) {
	r.choose(o)
	slices.SortStableFunc(r.entries, func(a, b entry) int {
		return cmp.Compare(b.figure, a.figure)
	})
	if len(r.entries) > 1 && r.entries[1].mark != nil {
		r.test()
	}
}

// choose sets the mark of each line.
func (r *race) choose(o *Options) {
	knees := o.Bound == nil
	for _, e := range r.entries {
		_, has := e.line.Knee(o.Metric)
		knees = knees && has
	}
	r.basis = "at the peak"
	for i := range r.entries {
		e := &r.entries[i]
		switch {
		case o.Bound != nil:
			r.basis, e.mark = "within "+o.Bound.String(), e.line.Within(*o.Bound).Mark
		case knees:
			k, _ := e.line.Knee(o.Metric)
			r.basis, e.mark = "at the knee of the "+o.Metric.Title, &e.line.Marks[k.At]
		default:
			e.mark = e.line.Peak()
		}
		if e.mark != nil {
			e.figure = e.mark.Throughput().Median
		}
	}
}

// throughput is the metric that headlines compare.
var throughput = func() compare.Metric {
	list, err := compare.ParseMetrics("throughput")
	if err != nil {
		panic(err) // the name is above
	}
	return list[0]
}()

// test compares the best line with the others. The row is that of the next line, with the greatest
// p of all.
func (r *race) test() {
	best := r.entries[0].mark.Repeats
	for i := 1; i < len(r.entries) && r.entries[i].mark != nil; i++ {
		e := &r.entries[i]
		row := compare.Repeats(e.mark.Repeats, best, &throughput, options)
		switch {
		case i == 1:
			r.row = row
		case row.Verdict == compare.TooFew:
			r.row.Verdict, r.row.Needed = row.Verdict, row.Needed
		default:
			r.row.P = max(r.row.P, row.P)
		}
		if row.P > options.Alpha || row.Change < MinChange {
			r.close = append(r.close, e.label)
		}
	}
}

var options = compare.Options{Alpha: 1 - results.Confidence, MinChange: MinChange}

// judge decides all tested races together.
func judge(races []race) {
	var rows []compare.Row
	var at []int
	for i := range races {
		if races[i].row.Metric != "" {
			rows, at = append(rows, races[i].row), append(at, i)
		}
	}
	compare.Judge(rows, &throughput, options)
	for i, row := range rows {
		races[at[i]].row = row
	}
}
