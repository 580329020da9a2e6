package compare

import (
	"math"

	"golang.org/x/perf/benchmath"

	"dpukv/results"
)

// Options select the subject and the strictness of a comparison.
type Options struct {
	Metrics []*results.Metric // none: DefaultMetrics
	Alpha   float64           // level of the test; 0: 0.05
	// MinChange is the least relative change that counts, 0.05 for 5 %.
	MinChange float64
	Ignore    []string // names of dimensions in which the two sides may differ

	unit Unit // of the sides
}

// Side is one of the runs, or several of one kind.
type Side struct {
	Name     string   // its folder
	Folders  int      // 0, or how many: the Source of a point is the number of its folder
	Machines []string // that it was measured on, in words
	Points   []results.Point
}

// Verdict is the result for one figure of one question.
type Verdict string

// The verdicts.
const (
	Better Verdict = "better"
	Worse  Verdict = "worse"
	Same   Verdict = "same" // no difference visible to the test, or one below MinChange
	TooFew Verdict = "too few repeats"
	// NotMeasured: a point of one side has no such figure (0). Some servers do not report their CPU
	// time.
	NotMeasured Verdict = "not measured"
)

// Comparison is the outcome.
type Comparison struct {
	A       Summary  `json:"a"`
	B       Summary  `json:"b"`
	Unit    Unit     `json:"unit"` // of the values whose number is n
	Alpha   float64  `json:"alpha"`
	Ignored []string `json:"ignored"`
	Common  string   `json:"common"` // what all points have in common
	// OtherMachines names the machines of the two sides, if they differ.
	OtherMachines string `json:"other_machines,omitempty"`

	Rows    []Row    `json:"rows"`
	OnlyA   []string `json:"only_a"` // questions without an answer of the other side
	OnlyB   []string `json:"only_b"`
	FailedB []string `json:"failed_b"` // answered in A; every repeat failed in B
	FailedA []string `json:"failed_a"`
	Tested  int      `json:"tested"` // measured rows with enough repeats
	// Limit says what two runs do not show, however many repeats they have. It is absent where
	// several folders a side show what an offset is, and where rounds are common.
	Limit string `json:"limit,omitempty"`

	questions int // that p is corrected over
	warned    []*results.Point
}

// Summary is one side in short.
type Summary struct {
	Name     string   `json:"name"`
	Machines []string `json:"notes"`
	Folders  int      `json:"folders,omitempty"` // if the side is a list of them
	Points   int      `json:"points"`            // ok
	Failed   int      `json:"failed"`
	Emulated int      `json:"emulated"` // of Points
}

// Row compares one figure of one question.
type Row struct {
	Label  string   `json:"label"` // tells the question from the others
	Metric string   `json:"metric"`
	Unit   string   `json:"unit"`
	A      Estimate `json:"a"`
	B      Estimate `json:"b"`
	Change float64  `json:"change"` // relative: the median over all pairs of an A and a B
	// the interval of Change, null if the samples are too small for one
	Lo *float64 `json:"change_lo"`
	Hi *float64 `json:"change_hi"`
	P  float64  `json:"p"` // of this row alone
	// Corrected is P after Holm, over the Questions of all metrics. The verdict depends on it.
	Corrected float64 `json:"p_holm"`
	Questions int     `json:"questions"`
	Verdict   Verdict `json:"verdict"`
	Needed    int     `json:"needed,omitempty"` // values a side, if they are too few

	higher bool // is better
	// Of pairs: how many, and in how many cases with ranks of their own. 0: it has no pairs.
	pairs, cases int
}

// Estimate is a sample's median and its confidence interval. The interval is null if the sample is
// too small for one.
type Estimate struct {
	N      int      `json:"n"`
	Median float64  `json:"median"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`

	text benchmath.Summary
}

// Median returns the median of a metric over repeats, with its interval.
func Median(repeats []*results.Point, m *results.Metric) Estimate {
	return estimate(results.Values(repeats, m.OfBench))
}

// Width is the distance from the median to the farther end of its interval, as a share of the
// median. It is +Inf without an interval, and if the median is 0.
func (e *Estimate) Width() float64 {
	if e.Lo == nil || e.Hi == nil || e.Median <= 0 {
		return math.Inf(1)
	}
	return max(*e.Hi-e.Median, e.Median-*e.Lo) / e.Median
}
