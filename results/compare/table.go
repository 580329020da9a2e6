package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchunit"

	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/results"
	"dpukv/results/table"
)

// Write writes the comparison for a terminal. A table a metric, in the shape of benchstat's, comes
// first. The test and its correction, the points of one side only, and the warnings follow.
func (c *Comparison) Write(w io.Writer) error {
	var b bytes.Buffer
	c.writeSide(&b, "A", &c.A)
	c.writeSide(&b, "B", &c.B)
	fmt.Fprintf(&b, "Both: %s\n", c.Common)
	switch c.Unit {
	case OfFolders:
		b.WriteString("Each folder is one value: the median of its repeats.\n")
	case OfRounds:
		b.WriteString("Each round is a pair: A and B ran one right after the other.\n")
	}
	if c.OtherMachines != "" {
		fmt.Fprintf(&b, "Other machines: %s: a difference may be theirs\n", c.OtherMachines)
	}
	for first := 0; first < len(c.Rows); {
		end := first
		for end < len(c.Rows) && c.Rows[end].Metric == c.Rows[first].Metric {
			end++
		}
		writeTable(&b, c.Rows[first:end], c.Unit)
		first = end
	}
	c.writeVerdict(&b)
	for _, list := range []struct {
		head   string
		labels []string
	}{
		{"Measured in A, failed in B", c.FailedB},
		{"Failed in A, measured in B", c.FailedA},
		{"Only in A", c.OnlyA},
		{"Only in B", c.OnlyB},
	} {
		writeList(&b, list.head, list.labels)
	}
	table.WriteWarnings(&b, c.warned)
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Comparison) writeSide(b *bytes.Buffer, letter string, s *Summary) {
	said := []string{fmt.Sprintf("%d points", s.Points)}
	if s.Folders > 0 {
		said[0] += " in " + numfmt.Count(s.Folders, "folder")
	}
	if s.Failed > 0 {
		said = append(said, fmt.Sprintf("%d failed", s.Failed))
	}
	if s.Emulated > 0 {
		said = append(said, fmt.Sprintf("%d of them over emulated hardware", s.Emulated))
	}
	machines := strings.Join(append(said, s.Machines...), ", ")
	fmt.Fprintln(b, foreign.Line(fmt.Sprintf("%s: %s (%s)", letter, s.Name, machines)))
}

func writeTable(b *bytes.Buffer, rows []Row, unit Unit) {
	lines := [][]string{
		{"", "A", "B", "", ""},
		{rows[0].Metric, rows[0].Unit, rows[0].Unit, "B vs A", ""},
	}
	for i := range rows {
		r := &rows[i]
		delta, why := r.outcome(unit)
		lines = append(lines, []string{r.Label, r.A.String(), r.B.String(), delta, why})
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			line[i] = foreign.Line(cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	b.WriteByte('\n')
	for _, line := range lines {
		text := line[0] + fill(line[0], widths[0]) + " │"
		for i := 1; i < len(line)-1; i++ {
			text += " " + fill(line[i], widths[i]) + line[i]
			if i < 3 {
				text += " │"
			}
		}
		b.WriteString(strings.TrimRight(text+"  "+line[len(line)-1], " ") + "\n")
	}
}

func fill(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// String is "1.234M ± 2%", as benchstat has it.
func (e *Estimate) String() string {
	return benchunit.Scale(e.Median, benchunit.Decimal) + " ± " + e.text.PctRangeString()
}

// outcome is the difference and its evidence.
func (r *Row) outcome(unit Unit) (delta, why string) {
	change, n := fmt.Sprintf("%+.2f%%", 100*r.Change), fmt.Sprintf("n=%d", r.A.N)
	if r.A.N != r.B.N {
		n += fmt.Sprintf("+%d", r.B.N)
	}
	test := fmt.Sprintf("(p=%.3f %s)", r.Corrected, n)
	if r.Lo != nil {
		test = fmt.Sprintf("[%+.2f%%, %+.2f%%] ", 100**r.Lo, 100**r.Hi) + test
	}
	switch r.Verdict {
	case NotMeasured:
		return "?", "zero or not measured on one side"
	case TooFew:
		side := " a side"
		if unit == OfRounds {
			side = ""
		}
		return "?", fmt.Sprintf("too few %s (%s, needed: %d%s%s)", unit, n, r.Needed, side,
			r.family())
	case Same:
		return "~", test
	}
	return change, fmt.Sprintf("%s %s", r.Verdict, test)
}

// family says over how many figures the correction is, if there is one.
func (r *Row) family() string {
	if r.Questions < 2 {
		return ""
	}
	return fmt.Sprintf(" for %d figures", r.Questions)
}

func (c *Comparison) writeVerdict(b *bytes.Buffer) {
	fmt.Fprintf(b, "\nOf %d figures: %d better, %d worse, %d without a difference, %d with "+
		"too few %s to tell",
		len(c.Rows), c.Count(Better), c.Count(Worse), c.Count(Same), c.Count(TooFew), c.Unit)
	if n := c.Count(NotMeasured); n > 0 {
		fmt.Fprintf(b, ", %d not measured", n)
	}
	b.WriteString(".\n")
	if c.Limit != "" {
		b.WriteString("These are " + c.Limit + ".\n")
	}
	if c.Tested > 0 {
		test := "Mann–Whitney U test"
		if c.Unit == OfRounds {
			test = "Wilcoxon's signed rank test of the pairs"
		}
		fmt.Fprintf(b, "p: %s, corrected after Holm over %s.\nIf nothing "+
			"differs, chance makes any of them seem to with at most %v.\n"+
			"[, ]: interval of the change at %v, after Hodges and Lehmann, not corrected.\n",
			test, numfmt.Count(c.questions, "figure"), c.Alpha, results.Confidence)
	}
	for i := range c.Rows {
		if c.Rows[i].A.Lo == nil || c.Rows[i].B.Lo == nil {
			fmt.Fprintf(b, "± ∞: an interval at %v needs at least %d %s.\n",
				results.Confidence, results.DefaultRepeats, c.Unit)
			break
		}
	}
}

func writeList(b *bytes.Buffer, head string, labels []string) {
	if len(labels) == 0 {
		return
	}
	const shown = 10
	fmt.Fprintf(b, "\n%s:\n", head)
	for i, l := range labels {
		if i == shown {
			fmt.Fprintf(b, "  and %d more\n", len(labels)-shown)
			break
		}
		fmt.Fprintf(b, "  %s\n", l)
	}
}
