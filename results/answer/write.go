package answer

import (
	"fmt"
	"io"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/results"
)

// maxCases are the cases that Write names one by one, and maxWarnings the kinds of warnings.
const (
	maxCases    = 12
	maxWarnings = 3
)

// Write says the answer, then its cases, what is emulated, what failed, and the first kinds of
// warnings behind it, a line each.
func (a *Answer) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, a.Text)
	if len(a.Cases) > 1 {
		for _, c := range a.Cases[:min(len(a.Cases), maxCases)] {
			fmt.Fprintf(&b, "  %s: %s\n", c.Condition, c.Text)
		}
		if more := len(a.Cases) - maxCases; more > 0 {
			fmt.Fprintf(&b, "  and %s\n", numfmt.Count(more, "more case"))
		}
	}
	if a.Emulated != "" {
		fmt.Fprintf(&b, "Emulated, not hardware: %s.\n", a.Emulated)
	}
	if a.Failed != "" {
		fmt.Fprintln(&b, a.Failed)
	}
	if list := a.warnings(); len(list) > 0 {
		fmt.Fprintf(&b, "Warnings: %s.\n", strings.Join(list[:min(len(list), maxWarnings)], ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// warnings are those of all cases together: each point has one case.
func (a *Answer) warnings() []string {
	var behind []*results.Point
	for _, c := range a.Cases {
		behind = append(behind, c.behind...)
	}
	return warningsOf(behind)
}
