package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// MainCases are those that the study shows and those that correct it: a fixed short length, lengths that
// no branch predictor learns, and long input.
func MainCases() []Case {
	return []Case{
		Fixed(Latency, 16), Fixed(Throughput, 16),
		{Mode: Latency, MinBytes: 1, MaxBytes: 32},
		{Mode: Throughput, MinBytes: 1, MaxBytes: 32},
		Fixed(Throughput, 256<<10),
	}
}

// maxColumns is how many cases fit a terminal.
const maxColumns = 6

// columns are the cases to show: all, or of too many the main ones.
func columns(results []Result) (shown []Case, left int) {
	all := cases(results)
	if len(all) <= maxColumns {
		return all, 0
	}
	main := MainCases()
	shown = slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return !slices.Contains(main, c) })
	if len(shown) == 0 {
		shown = all[:maxColumns]
	}
	return shown, len(all) - len(shown)
}

// WriteTable writes a report for a terminal: a row a function, then what makes the figures and what makes them doubtful.
func WriteTable(w io.Writer, r *Report) error {
	var b bytes.Buffer
	shown, left := columns(r.Results)
	if len(shown) > 0 {
		rows := [][]string{{"function", "variant"}, {"", ""}}
		for _, c := range shown {
			rows[0], rows[1] = append(rows[0], c.String()), append(rows[1], c.unit())
		}
		for _, f := range functions(r.Results) {
			row := []string{f.Function, f.Variant}
			for _, c := range shown {
				row = append(row, r.find(f.Function, c).cell())
			}
			rows = append(rows, row)
		}
		b.WriteString(layOut(rows, 2) + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s in the JSON (--out FILE).\n", count(left, "more case"))
	}
	r.writeConditions(&b)
	r.writeSMHasher(&b)
	r.writeWarnings(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func (r *Report) writeConditions(b *bytes.Buffer) {
	fmt.Fprintf(b, "Medians of %d interleaved rounds of about %v ± their 95 %% confidence interval; nanoseconds of CPU time a call, the loop's own cost subtracted:\n",
		r.Rounds, time.Duration(r.RoundNs).Round(10*time.Microsecond))
	for _, o := range r.Overheads {
		fmt.Fprintf(b, "  %s loop, %s lengths, %s: %s ns", o.Mode, o.Lengths, count(o.Words, "word"), digits3(o.Ns.Median))
		if o.Mode == string(Latency) {
			fmt.Fprintf(b, ", %.2f ns left", o.LeftNs)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "Measured on %s.\n", joined(r.machine(), r.Clock.text()))
}

// machine names the machine: "AMD EPYC (linux, amd64)".
func (r *Report) machine() string {
	return joined(r.Machine.CPUModel, r.Machine.Arch, r.Machine.GoVersion, r.Machine.GoArchLevel)
}

func (c *Clock) text() string {
	said := []string{fmt.Sprintf("CPU %d", c.CPU)}
	if c.CoreHz > 0 {
		said = append(said, fmt.Sprintf("core at %s (%s)", frequency(c.CoreHz), c.CoreSource))
	}
	if c.CounterHz > 0 {
		said = append(said, fmt.Sprintf("%s at %s (%s)", c.Counter, frequency(c.CounterHz), c.CounterSource))
	}
	return strings.Join(said, ", ")
}

func (r *Report) writeWarnings(b *bytes.Buffer) {
	if len(r.Warnings) == 0 {
		return
	}
	b.WriteString("\nWarnings:\n")
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "  - %s\n", w)
	}
}

// writeSMHasher shows SMHasher's figures beside the same time in nanoseconds and core cycles.
func (r *Report) writeSMHasher(b *bytes.Buffer) {
	if len(r.SMHasher) == 0 {
		return
	}
	rows := [][]string{{"SMHasher's loop", "length", "ns", "cycles it prints", "core cycles", "factor"}}
	for _, s := range r.SMHasher {
		rows = append(rows, []string{
			s.Function, SizeText(s.Bytes), digits3(s.Ns), digits3(s.Cycles), digits3(s.CoreCycles), fmt.Sprintf("%.3f", s.Factor()),
		})
	}
	b.WriteString("\n" + layOut(rows, 1))
	timer := r.SMHasher[0]
	fmt.Fprintf(b, "\nSMHasher's timer here is %s, %s; the core runs at %s (%s). So its \"cycles\" are %.3f of the core's,\n"+
		"and another share on every other machine: compare nanoseconds. Its nanoseconds have the loop's cost in them.\n",
		timer.Timer, frequency(timer.TimerHz), frequency(r.Clock.CoreHz), r.Clock.CoreSource, timer.TimerHz/r.Clock.CoreHz)
}
