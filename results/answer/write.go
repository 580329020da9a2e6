package answer

import (
	"fmt"
	"io"
	"strings"

	"dpukv/internal/foreign"
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
	line := func(format string, args ...any) {
		b.WriteString(foreign.Line(fmt.Sprintf(format, args...)) + "\n")
	}
	line("%s", a.Text)
	if len(a.Cases) > 1 {
		for _, c := range a.Cases[:min(len(a.Cases), maxCases)] {
			line("  %s: %s", c.Condition, c.Text)
		}
		if more := len(a.Cases) - maxCases; more > 0 {
			line("  and %s", numfmt.Count(more, "more case"))
		}
	}
	if a.Emulated != "" {
		line("Emulated, not hardware: %s.", a.Emulated)
	}
	if a.Failed != "" {
		line("%s", a.Failed)
	}
	if list := a.warnings(); len(list) > 0 {
		line("Warnings: %s.", strings.Join(list[:min(len(list), maxWarnings)], ", "))
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
