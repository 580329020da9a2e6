package figure

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpukv/results"
)

// Study is a figure of the study: a panel for each GET share side by side, and a row of them for
// each latency metric. The values are those of the sweep file that measures the figure.
type Study struct {
	Number               int
	Example              string // the sweep file
	Store                string
	Placements, Submodes []string
	GetRatios            []float64 // in the order of the panels
	LogY                 bool
}

// figure draws the points that belong to the figure of the study.
func (s *Study) figure(points []results.Point, o *Options) (*figure, error) {
	chosen, missing, err := s.choose(points)
	if err != nil {
		return nil, fmt.Errorf("figure %d: %w; to measure it: dpukv sweep -f %s --testbed TESTBED",
			s.Number, err, s.Example)
	}
	options := *o
	options.LogY = o.LogY || s.LogY
	ok, _ := results.Split(chosen)
	metrics := o.metrics(ok)
	charts := s.charts(chosen)
	f := &figure{
		stem: "fig" + strconv.Itoa(s.Number), metrics: len(metrics), notes: missing,
		title: results.Labels(results.Without(titleDimensions(),
			results.Varying(titleDimensions(), ok)), ok[0]),
	}
	shorten := shortLabels(charts)
	for _, m := range metrics {
		for i := range charts {
			p := options.panel(&charts[i], m)
			share := charts[i].Lines[0].Marks[0].Repeats[0]
			p.heading = results.Labels(results.Named("get_ratio"), share)
			f.panels = append(f.panels, p)
		}
	}
	if shorten {
		f.notes = append(f.notes, "in parentheses: server threads")
	}
	return f, nil
}

// titleDimensions are those that a title states, if they do not vary.
func titleDimensions() []*results.Dimension {
	return results.Named("store", "get_ratio", "key_bytes", "value_bytes", "batch")
}

// charts are the charts of the points, in the order of the panels.
func (s *Study) charts(points []results.Point) []results.Chart {
	charts := slices.DeleteFunc(results.ChartsByShare(points), func(c results.Chart) bool {
		return len(c.Lines) == 0
	})
	place := func(c results.Chart) int {
		return slices.Index(s.GetRatios, c.Points()[0].GetRatio)
	}
	slices.SortFunc(charts, func(a, b results.Chart) int { return place(a) - place(b) })
	return charts
}

// choose returns the points of the figure, and says what they lack.
func (s *Study) choose(points []results.Point) (chosen []results.Point, missing []string, err error) {
	ok, _ := results.Split(points)
	for _, need := range s.needs() {
		found := need.found(ok)
		ok = slices.DeleteFunc(ok, func(p *results.Point) bool { return !need.has(p) })
		var lacks []string
		for _, v := range need.values {
			if !slices.Contains(found, v) {
				lacks = append(lacks, v)
			}
		}
		if len(need.values)-len(lacks) < need.least {
			return nil, nil, fmt.Errorf("%s: found %s, allowed: %s", need.name,
				strings.Join(found, ", "), need.allowed())
		}
		if len(lacks) > 0 {
			missing = append(missing, fmt.Sprintf("not measured: %s %s", need.name,
				strings.Join(lacks, ", ")))
		}
	}
	for i := range points {
		if p := &points[i]; s.has(p) {
			chosen = append(chosen, *p)
		}
	}
	return chosen, missing, nil
}

// has reports whether a point belongs to the figure.
func (s *Study) has(p *results.Point) bool {
	for _, need := range s.needs() {
		if !need.has(p) {
			return false
		}
	}
	return true
}

// need is a property of the points, with the values that a figure shows.
type need struct {
	name   string
	of     func(*results.Point) string
	values []string
	least  int // number of the values that must have been measured
}

// needs are in the order in which a run is checked. A figure compares at least two placements or
// submodes.
func (s *Study) needs() []need {
	share := func(ratio float64) string { return strconv.FormatFloat(ratio*100, 'g', 6, 64) + " %" }
	var shares []string
	for _, ratio := range s.GetRatios {
		shares = append(shares, share(ratio))
	}
	return []need{
		{"store", func(p *results.Point) string { return p.Store }, []string{s.Store}, 1},
		{"submode", func(p *results.Point) string { return p.Submode }, s.Submodes,
			min(2, len(s.Submodes))},
		{"placement", func(p *results.Point) string { return p.Placement }, s.Placements,
			min(2, len(s.Placements))},
		{"GET share", func(p *results.Point) string { return share(p.GetRatio) }, shares, 1},
	}
}

func (n *need) has(p *results.Point) bool { return slices.Contains(n.values, n.of(p)) }

// found lists the values of the points.
func (n *need) found(points []*results.Point) []string {
	var list []string
	for _, p := range points {
		if v := n.of(p); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

func (n *need) allowed() string {
	list := strings.Join(n.values, ", ")
	if n.least > 1 {
		return fmt.Sprintf("%d or more of %s", n.least, list)
	}
	return list
}

var threads = regexp.MustCompile(`, ([0-9]+) server threads?$`)

// shortLabels writes server threads as the study does: "CH-SH (4)". It reports whether it did.
func shortLabels(charts []results.Chart) bool {
	short := false
	for _, c := range charts {
		for i := range c.Lines {
			l := &c.Lines[i]
			if m := threads.FindStringSubmatch(l.Label); m != nil {
				l.Label = strings.TrimSuffix(l.Label, m[0]) + " (" + m[1] + ")"
				short = true
			}
		}
	}
	return short
}
