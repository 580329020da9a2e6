package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"dpukv/results"
	"dpukv/results/answer"
	"dpukv/results/probechart"
	"dpukv/results/runfolder"
)

// Options are the initial state of the page. The reader can change all of it there.
type Options struct {
	Metric  *results.Metric // nil: p99
	Bound   *results.Bound  // nil: none
	Version string          // of this binary
	Now     time.Time       // when the page is made; zero: now
	Name    string          // of the run; empty: that of its folder
}

// Model is a run folder in the page's form.
type Model struct {
	Name      string             `json:"name"` // of the folder
	Dir       string             `json:"dir"`
	Made      time.Time          `json:"made"`
	Version   string             `json:"version"`
	Digest    string             `json:"digest"` // of the run folder
	BadLines  []string           `json:"notes"`  // that could not be read
	Sweep     string             `json:"sweep"`
	Testbed   string             `json:"testbed"`
	Nodes     []json.RawMessage  `json:"nodes"` // env.jsonl
	Count     int                `json:"count"` // points
	Metrics   []metric           `json:"measures"`
	Metric    string             `json:"measure"`
	Bound     *bound             `json:"bound"`
	Dims      []dimension        `json:"dims"`
	Columns   map[string]*column `json:"-"`     // see WriteData
	Order     []string           `json:"order"` // of the columns
	Lines     []line             `json:"lines"`
	Points    []results.Point    `json:"-"`
	BusyShare float64            `json:"busy_share"`
	Validity  []string           `json:"validity"` // begin of results.ValidityKinds
	Kinds     map[string]string  `json:"kinds"`    // results.KindTitles
	Headline  *answer.Answer     `json:"headline"` // nil: no point is ok
	Warnings  []*warningKind     `json:"warning_kinds"`
	Claims    claimed            `json:"claims"`
	Beneath   beneath            `json:"beneath"`
	Offload   offloaded          `json:"offload"`
}

type metric struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// from the intended send; "actual_" before it: from the actual one
	Column string `json:"column"`
	// the highest latency_lower_bound_from that makes it a lower bound
	Percentile float64 `json:"percentile"`
}

type bound struct {
	Metric string  `json:"measure"`
	Ns     float64 `json:"ns"`
}

// dimension gives a column its title and its values their words.
type dimension struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"` // in words, with the unit of the values
	Numeric bool     `json:"numeric"`
	Varies  bool     `json:"varies"`
	Values  []string `json:"values"` // in their order, as they are shown
	Labels  []string `json:"labels"` // of the values
	At      []int    `json:"at"`     // the value of each point; empty: the first
}

// line is a results.Line.
type line struct {
	Axis  string  `json:"axis"`
	Marks [][]int `json:"marks"` // the points of each mark
	// the knee by latency column: the index of its mark, and of the first and last that it may be
	Knees map[string][3]int `json:"knees"`
	Curve int               `json:"curve"` // in [beneath.Curves]; -1: none
}

// Read reads a run folder, even while a sweep writes it. BadLines holds the unusable lines.
func Read(run *runfolder.Run, o Options) (*Model, error) {
	all, bad, err := run.All()
	if err != nil {
		return nil, err
	}
	points, probes := probechart.Separate(all)
	nodes, badNodes, err := run.Env()
	if err != nil {
		return nil, err
	}
	sweep, err := run.Sweep()
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	testbed, err := run.Testbed()
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	digest, err := run.Digest()
	if err != nil {
		return nil, err
	}
	m := &Model{
		Digest: digest,
		Name:   filepath.Base(absolute(run.Dir())), Dir: run.Dir(), Made: o.Now, Version: o.Version,
		BadLines: []string{}, Sweep: string(sweep), Testbed: string(testbed),
		Nodes: append([]json.RawMessage{}, nodes...), Count: len(points), Points: points,
		BusyShare: results.BusyShare, Kinds: results.KindTitles(),
	}
	for _, kind := range results.ValidityKinds() {
		m.Validity = append(m.Validity, string(kind)+":")
	}
	if o.Name != "" {
		m.Name, m.Dir = o.Name, o.Name
	}
	for _, b := range append(bad, badNodes...) {
		m.BadLines = append(m.BadLines, b.Said())
	}
	m.choose(o)
	m.fill()
	m.fillBeneath(probes)
	m.fillOffload()
	if err := m.fillClaims(probes); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	m.answer(o)
	return m, nil
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

func (m *Model) choose(o Options) {
	if m.Made.IsZero() {
		m.Made = time.Now().UTC().Truncate(time.Second)
	}
	for _, of := range results.LatencyMetrics() {
		m.Metrics = append(m.Metrics, metric{of.Short, of.Title, of.Name, of.Percentile})
	}
	m.Metric = cmp.Or(o.Metric, answer.DefaultLatency(m.Points)).Short
	if o.Bound != nil {
		m.Bound = &bound{o.Bound.Metric.Short, o.Bound.Ns}
		m.Metric = o.Bound.Metric.Short
	}
}

// answer sets the headline, for the bound and the latency that the page shows first.
func (m *Model) answer(o Options) {
	if h, ok := answer.Of(m.Points, answer.Options{Bound: o.Bound, Metric: o.Metric}); ok {
		m.Headline = &h
	}
}

func (m *Model) fill() {
	for _, d := range results.Dimensions() {
		if dim := newDimension(d, m.Points); dim.Varies || !d.Unlisted() {
			m.Dims = append(m.Dims, dim)
		}
	}
	m.fillColumns()
	index := make(map[*results.Point]int, len(m.Points))
	for i := range m.Points {
		index[&m.Points[i]] = i
	}
	m.fillWarnings(index)
	m.Lines = []line{}
	for _, l := range results.Lines(m.Points) {
		to := line{Axis: l.Axis.Name(), Knees: knees(&l)}
		for _, mark := range l.Marks {
			var at []int
			for _, p := range mark.Repeats {
				at = append(at, index[p])
			}
			to.Marks = append(to.Marks, at)
		}
		m.Lines = append(m.Lines, to)
	}
}

// knees are the knees of a line by every latency. The page shows them and computes none.
func knees(l *results.Line) map[string][3]int {
	all := map[string][3]int{}
	for _, intended := range results.LatencyMetrics() {
		for _, of := range []*results.Metric{intended, intended.FromActualSend()} {
			if k, ok := l.Knee(of); ok {
				all[of.Name] = [3]int{k.At, k.First, k.Last}
			}
		}
	}
	return all
}

func newDimension(d *results.Dimension, points []results.Point) dimension {
	to := dimension{
		Name: d.Name(), Title: d.Title(), Numeric: d.Numeric(),
		Values: []string{}, Labels: []string{}, At: []int{},
	}
	var all []*results.Point
	for i := range points {
		all = append(all, &points[i])
	}
	// Servers that ran already have one placement, and each has words of its own.
	worded := func(p *results.Point) [3]string {
		return [3]string{d.Text(p), d.Shown(p), d.Label(p)}
	}
	place := make(map[[3]string]int)
	for _, g := range results.Group([]*results.Dimension{d}, all) {
		for _, p := range g {
			if _, known := place[worded(p)]; !known {
				place[worded(p)] = len(to.Values)
				to.Values, to.Labels = append(to.Values, d.Shown(p)), append(to.Labels, d.Label(p))
			}
		}
	}
	if len(to.Values) > 1 {
		for _, p := range all {
			to.At = append(to.At, place[worded(p)])
		}
	}
	to.Varies = varies(d, all)
	if d.Name() == "machine" {
		to.Varies = len(results.Varying([]*results.Dimension{d}, all)) > 0
	}
	return to
}

// varies ignores values that a failed point did not come far enough to use.
func varies(d *results.Dimension, points []*results.Point) bool {
	first, found := "", false
	for _, p := range points {
		text := d.Text(p)
		if text == "" && p.Status != results.StatusOK {
			continue
		}
		if found && text != first {
			return true
		}
		first, found = text, true
	}
	return false
}
