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
	AlsoSubmodes         []string  // drawn if they are there, and not missed if they are not
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
		title: results.TitleOf(ok),
	}
	if shortLabels(charts) {
		f.notes = append(f.notes, "in parentheses: server threads")
	}
	for _, m := range metrics {
		for i := range charts {
			p := options.panel(&charts[i], m)
			share := charts[i].Lines[0].Marks[0].Repeats[0]
			p.heading = results.Labels(results.Named("get_ratio"), share)
			f.panels = append(f.panels, p)
		}
	}
	return f, nil
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
func (s *Study) choose(
	points []results.Point,
) (chosen []results.Point, missing []string, err error) {
	ok, _ := results.Split(points)
	for _, need := range s.needs() {
		found := need.found(ok)
		if !need.met(found) {
			return nil, nil, fmt.Errorf("%s: found %s, allowed: %s", need.name,
				strings.Join(found, ", "), need.allowed())
		}
		if lacks := need.lacks(found); len(lacks) > 0 {
			missing = append(missing, "not measured: "+need.name+" "+strings.Join(lacks, ", "))
		}
		ok = slices.DeleteFunc(ok, func(p *results.Point) bool { return !need.has(p) })
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
	return !slices.ContainsFunc(s.needs(), func(n need) bool { return !n.has(p) })
}

// need is a property of the points, with the values that a figure shows.
type need struct {
	name   string
	of     func(*results.Point) string
	values []string
	also   []string // further values that the figure can show
	least  int      // number of the values that must have been measured
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
		{
			name: "store", of: func(p *results.Point) string { return p.Store },
			values: []string{s.Store}, least: 1,
		},
		{
			name: "submodes", of: func(p *results.Point) string { return p.Submode },
			values: s.Submodes, also: s.AlsoSubmodes, least: min(2, len(s.Submodes)),
		},
		{
			name: "placements", of: func(p *results.Point) string { return p.Placement },
			values: s.Placements, least: min(2, len(s.Placements)),
		},
		{
			name: "GET shares", of: func(p *results.Point) string { return share(p.GetRatio) },
			values: shares, least: 1,
		},
	}
}

func (n *need) has(p *results.Point) bool {
	return slices.Contains(n.values, n.of(p)) || slices.Contains(n.also, n.of(p))
}

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

// lacks lists the values that were not found, unless others stand for all of them.
func (n *need) lacks(found []string) []string {
	var list []string
	for _, v := range n.values {
		if !slices.Contains(found, v) {
			list = append(list, v)
		}
	}
	if len(list) == len(n.values) {
		return nil
	}
	return list
}

// met reports whether the values that were found suffice.
func (n *need) met(found []string) bool {
	missed := func(values []string) int {
		return len(slices.DeleteFunc(slices.Clone(values), func(v string) bool {
			return slices.Contains(found, v)
		}))
	}
	return len(n.values)-missed(n.values) >= n.least ||
		n.least == 1 && missed(n.also) < len(n.also)
}

func (n *need) allowed() string {
	list := strings.Join(n.values, ", ")
	if n.least > 1 {
		return fmt.Sprintf("%d or more of %s", n.least, list)
	}
	return list
}

var threads = regexp.MustCompile(`, ([0-9]+) server threads?$`)

// nextVariant is the distance between styles of equal colour and glyph. One is filled and the next
// is hollow, and their dashes differ.
const nextVariant = 42

// shortLabels writes server threads as the study does: "CH-SH (4)". Lines that differ only in them
// get one colour. It reports whether there are any.
func shortLabels(charts []results.Chart) bool {
	var configurations, counts []string
	place := func(list *[]string, text string) int {
		if !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
		return slices.Index(*list, text)
	}
	for _, c := range charts {
		for i := range c.Lines {
			l := &c.Lines[i]
			if m := threads.FindStringSubmatch(l.Label); m != nil {
				before := strings.TrimSuffix(l.Label, m[0])
				l.Label = before + " (" + m[1] + ")"
				l.Style = place(&configurations, before) + nextVariant*place(&counts, m[1])
			}
		}
	}
	return counts != nil
}
