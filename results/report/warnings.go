package report

import (
	"cmp"
	"slices"
	"strings"

	"dpukv/results"
	"dpukv/results/table"
)

// warningKind is a set of warnings about the same thing.
type warningKind struct {
	Title   string `json:"title"`   // in a few words
	Example string `json:"example"` // one warning in full
	Points  []int  `json:"points"`
}

// titles say in a few words what a warning that has a text in it is about. A warning without a
// title is one itself.
var titles = []struct{ has, title string }{
	{"client-bound:", "the client's CPU is full"},
	{"compute-bound:", "the application's compute sets the pace"},
	{"compute slowed:", "other work delayed the application's compute"},
	{"schedule late:", "the client sent its batches late"},
	{"schedule held up:", "the client's schedule was held up"},
	{"target rate missed:", "the offered rate was not reached"},
	{"latencies are lower bounds:", "latencies are lower bounds"},
	{"latencies left out:", "latencies are left out"},
	{"disturbed:", "other work took CPU time"},
	{"drift:", "throughput or latency drifted"},
	{"too short for", "the measurement period is too short for a high percentile"},
}

// fillWarnings folds the warnings of all points that are ok by kind, the most frequent first.
func (m *Model) fillWarnings(index map[*results.Point]int) {
	ok, _ := results.Split(m.Points)
	m.Warnings = []*warningKind{}
	byTitle := make(map[string]*warningKind)
	for _, g := range table.GroupWarnings(ok) {
		title := titleOf(g)
		k := byTitle[title]
		if k == nil {
			k = &warningKind{Title: title, Example: g.Example}
			byTitle[title] = k
			m.Warnings = append(m.Warnings, k)
		}
		for _, p := range g.Points {
			k.Points = append(k.Points, index[p])
		}
	}
	for _, k := range m.Warnings {
		slices.Sort(k.Points)
		k.Points = slices.Compact(k.Points) // a point may have several warnings of a kind
	}
	slices.SortStableFunc(m.Warnings, func(a, b *warningKind) int {
		return cmp.Compare(len(b.Points), len(a.Points))
	})
}

func titleOf(g *table.WarningGroup) string {
	for _, t := range titles {
		if strings.Contains(g.Example, t.has) {
			return t.title
		}
	}
	if g.Same {
		return g.Example
	}
	return "such as: " + g.Example
}
