package report

import (
	"cmp"
	"slices"

	"dpukv/results"
	"dpukv/results/table"
)

// warningKind is a set of warnings about the same thing.
type warningKind struct {
	Title   string `json:"title"`   // in a few words
	Example string `json:"example"` // one warning in full
	Points  []int  `json:"points"`
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
			k = &warningKind{Title: title, Example: g.Example.String()}
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

// titleOf says what warnings are about. Those without a title are one themselves.
func titleOf(g *table.WarningGroup) string {
	title := g.Example.Kind.Title()
	switch {
	case title != "":
		return title
	case g.Same:
		return g.Example.String()
	}
	return "such as: " + g.Example.String()
}
