package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"dpukv/hashbench/result"
	"dpukv/internal/numfmt"
)

// Machine is a report with a display name.
type Machine struct {
	Name string
	*result.Report
}

// label is the name, which says of an emulator that it is none of a machine.
func (m Machine) label() string {
	if m.Machine.Emulator != "" {
		return m.Name + " (emulated)"
	}
	return m.Name
}

// says puts a machine's name before a text about it, if it has one.
func (m Machine) says(text string) string {
	if m.label() == "" {
		return text
	}
	return m.label() + ": " + text
}

// Ratio is the time of one machine over that of another.
type Ratio struct {
	Median, Low, High float64
	Touch             bool // the intervals: the two are not told apart
	Emulated          bool // one of the two at least: nothing follows from their intervals
}

// ratio is of divided by base.
func ratio(of, base result.Interval) Ratio {
	return Ratio{
		Median: of.Median / base.Median, Low: of.Low / base.High, High: of.High / base.Low,
		Touch: of.Touches(base),
	}
}

// Compare writes the times of machines for the same functions and cases, in nanoseconds. Beside
// each it writes the time over that of the first machine. Below the table it names the cases and
// functions that some machines lack.
func Compare(w io.Writer, machines []Machine) error {
	if len(machines) < 2 {
		return fmt.Errorf("reports: found %d, allowed: two or more", len(machines))
	}
	rows := [][]string{{"function", "variant", "case"}, {"", "", ""}}
	for i, m := range machines {
		rows[0], rows[1] = append(rows[0], m.label()), append(rows[1], "ns")
		if i > 0 {
			rows[0] = append(rows[0], m.label()+" ÷ "+machines[0].label())
			rows[1] = append(rows[1], "")
		}
	}
	var missing []string
	shown, left := columns(machines[0].Results)
	for _, c := range shown {
		for _, f := range functions(machines[0].Results) {
			row, ok := compareRow(machines, f, c)
			if ok {
				rows = append(rows, row)
			} else {
				missing = append(missing, f.Function+", "+c.String())
			}
		}
	}
	if len(rows) == 2 {
		return fmt.Errorf("the reports share no function and case: measure the same ones on each " +
			"machine")
	}
	var b bytes.Buffer
	b.WriteString(layOut(rows, 3))
	writeConditionsOf(&b, machines, missing, left)
	_, err := w.Write(b.Bytes())
	return err
}

func compareRow(machines []Machine, f result.Subject, c result.Case) (row []string, ok bool) {
	base := find(machines[0].Report, f.Function, c)
	row = []string{f.Function, variants(machines, f, c), c.String()}
	for i, m := range machines {
		x := find(m.Report, f.Function, c)
		if x == nil || base == nil {
			return nil, false
		}
		row = append(row, around(x.Ns.Median, x.Ns.Low, x.Ns.High))
		if i > 0 {
			r := ratio(x.Ns, base.Ns)
			r.Emulated = m.Machine.Emulator+machines[0].Machine.Emulator != ""
			row = append(row, r.text())
		}
	}
	return row, true
}

// variants names the kinds of code: a module may have assembly on one machine only.
func variants(machines []Machine, f result.Subject, c result.Case) string {
	var list []string
	for _, m := range machines {
		if x := find(m.Report, f.Function, c); x != nil && !slices.Contains(list, x.Variant) {
			list = append(list, x.Variant)
		}
	}
	if len(list) == 0 {
		return ""
	}
	text := list[0]
	for _, v := range list[1:] {
		text += "/" + v
	}
	return text
}

func (r Ratio) text() string {
	switch {
	case r.Emulated:
		return fmt.Sprintf("%.2f (emulated)", r.Median)
	case r.Touch:
		return fmt.Sprintf("%.2f (not told apart)", r.Median)
	}
	return fmt.Sprintf("%.2f [%.2f–%.2f]", r.Median, r.Low, r.High)
}

// writeConditionsOf explains the figures, and writes the conditions and warnings of each machine.
func writeConditionsOf(b *bytes.Buffer, machines []Machine, missing []string, left int) {
	b.WriteString("\nMedians ± their 95 % confidence interval. Ratios are of times, with the " +
		"range that both intervals allow. Not told apart: the intervals touch.\n")
	for _, m := range machines {
		fmt.Fprintf(b, "%s: %s\n", m.label(), joined(machineText(m.Report), clockText(m.Report),
			"measured "+m.StartedAt.Format("2006-01-02 15:04 MST"), m.Version))
		for _, w := range m.Warnings {
			fmt.Fprintf(b, "  - %s\n", w)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(b, "Not in all reports: %s\n", joinAtMost(missing, 5))
	}
	if left > 0 {
		fmt.Fprintf(b, "%s in the JSON.\n", numfmt.Count(left, "more case"))
	}
}

func joinAtMost(list []string, most int) string {
	if more := len(list) - most; more > 0 {
		list = append(list[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}
