package report

import (
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
	for _, f := range table.FoldWarnings(ok) {
		k := &warningKind{Title: f.Title, Example: f.Example.String()}
		for _, p := range f.Points {
			k.Points = append(k.Points, index[p])
		}
		m.Warnings = append(m.Warnings, k)
	}
}
