package performance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/internal/sample"
)

// none stands where no file has a quiet repeat.
const none = "not measured"

// figure is a benchmark, which may have stars, and a unit of its lines.
type figure struct{ benchmark, unit string }

// cell is what a cell shows: a figure with its range, or how many times the figure that of is.
type cell struct {
	figure
	of     figure // empty: the figure itself
	suffix string
}

// ns is a time, x a ratio or another figure without a unit.
func ns(benchmark, unit string) cell { return cell{figure{benchmark, unit}, figure{}, " ns"} }
func x(benchmark, unit string) cell  { return cell{figure{benchmark, unit}, figure{}, ""} }

// times is the first figure over the second.
func times(a, b cell) cell { return cell{a.figure, b.figure, ""} }

// text is the cell's text for a processor. A time has no range: the ratios have one.
func (c cell) text(p *Processor) string {
	if c == (cell{}) {
		return ""
	}
	v := p.find(c.benchmark, c.unit)
	if len(v) == 0 {
		return none
	}
	if c.of != (figure{}) {
		of := p.find(c.of.benchmark, c.of.unit)
		if len(of) == 0 {
			return none
		}
		return digits(sample.Median(v) / sample.Median(of))
	}
	if text := digits(sample.Median(v)) + c.suffix; c.suffix != "" {
		return text
	}
	least, most := digits(slices.Min(v)), digits(slices.Max(v))
	if least == most {
		return least
	}
	return fmt.Sprintf("%s (%s to %s)", digits(sample.Median(v)), least, most)
}

// digits are two or three: more would not be the same in another run.
func digits(v float64) string {
	if v >= 1e3 {
		return strings.ReplaceAll(numfmt.Grouped(int64(v+.5)), " ", ",")
	}
	if v >= 10 {
		return numfmt.Digits3(v)
	}
	return fmt.Sprintf("%.2f", v)
}

// row is a label and its cells.
type row struct {
	label string
	cells []cell
}

// table has a column for each word of the head. The first are those of the labels.
type table struct {
	head string // "load | keys | floor"
	// named tables name a single processor, too. The others stand on a page that does.
	named bool
	rows  []row
}

// markdown writes the table as Markdown, with a group of rows for each processor that was measured.
func (t *table) markdown(all []*Processor) string {
	var b strings.Builder
	columns := strings.Count(t.head, "|") + 1
	fmt.Fprintf(&b, "| %s |\n%s|\n", t.head, strings.Repeat("|---", columns))
	head := b.Len()
	for _, p := range all {
		group := t.group(p)
		if group != "" && (len(all) > 1 || t.named) {
			fmt.Fprintf(&b, "| **%s**%s\n", p.Name, strings.Repeat(" |", columns))
		}
		b.WriteString(group)
	}
	if b.Len() == head {
		fmt.Fprintf(&b, "| %s%s\n", none, strings.Repeat(" |", columns))
	}
	return b.String()
}

// group has a processor's rows; it is empty if nothing was measured.
func (t *table) group(p *Processor) string {
	group, some := "", false
	for _, r := range t.rows {
		group += "| " + r.label
		for _, c := range r.cells {
			text := c.text(p)
			some = some || text != none && text != ""
			group += " | " + text
		}
		group += " |\n"
	}
	if !some {
		return ""
	}
	return group
}

// processors is the table of what the files hold for.
func processors(all []*Processor) string {
	var b strings.Builder
	b.WriteString("| processor | CPUs | kernel | Go | measured | at commit | " +
		"figures set apart |\n|---|---|---|---|---|---|---|\n")
	for _, p := range all {
		for _, f := range p.Files {
			h := f.Header
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d of %d |\n", p.Name,
				or(h["cpus"]), or(h["kernel"]), or(strings.TrimPrefix(h["go"], "go")),
				or(h["date"]), or(h["commit"]), count(f.Disturbed),
				count(f.Disturbed)+count(f.Values))
		}
	}
	return b.String()
}

func or(text string) string { return cmp.Or(text, "not recorded") }

func count(v Values) (n int) {
	for _, values := range v {
		n += len(values)
	}
	return n
}
