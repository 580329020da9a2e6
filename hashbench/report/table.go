package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"dpukv/hashbench/result"
	"dpukv/internal/numfmt"
)

// maxColumns is the number of cases that fit a terminal.
const maxColumns = 6

// columns are the displayed cases: all of them, or the main ones if there are too many.
func columns(results []result.Result) (shown []result.Case, left int) {
	all := cases(results)
	if len(all) <= maxColumns {
		return all, 0
	}
	main := result.MainCases()
	shown = slices.DeleteFunc(slices.Clone(all), func(c result.Case) bool {
		return !slices.Contains(main, c)
	})
	if len(shown) == 0 {
		shown = all[:maxColumns]
	}
	return shown, len(all) - len(shown)
}

// WriteTable writes a report for a terminal: a row a function, then the conditions and the
// warnings.
func WriteTable(w io.Writer, r *result.Report) error {
	var b bytes.Buffer
	shown, left := columns(r.Results)
	if len(shown) > 0 {
		rows := [][]string{{"function", "variant"}, {"", ""}}
		for _, c := range shown {
			rows[0], rows[1] = append(rows[0], c.String()), append(rows[1], unit(c))
		}
		for _, f := range functions(r.Results) {
			row := []string{f.Function, f.Variant}
			for _, c := range shown {
				row = append(row, cell(find(r, f.Function, c)))
			}
			rows = append(rows, row)
		}
		b.WriteString(layOut(rows, 2) + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "%s in the JSON (--out FILE).\n", numfmt.Count(left, "more case"))
	}
	writeConditions(&b, r)
	writeSMHasher(&b, r)
	writeWarnings(&b, r)
	_, err := w.Write(b.Bytes())
	return err
}

func writeConditions(b *bytes.Buffer, r *result.Report) {
	fmt.Fprintf(b, "Medians of %d interleaved rounds of about %s ± their 95 %% confidence "+
		"interval: nanoseconds of CPU time per call. Latency is less the cost of its loop; "+
		"throughput contains its loop:\n",
		r.Rounds, numfmt.Duration(time.Duration(r.RoundNs)))
	for _, o := range r.Overheads {
		fmt.Fprintf(b, "  %s loop, %s lengths, %s: %s ns",
			o.Mode, o.Lengths, numfmt.Count(o.Words, "word"), numfmt.Digits3(o.Ns.Median))
		if o.Mode == string(result.Latency) {
			fmt.Fprintf(b, ", %s ns left", numfmt.Digits3(o.LeftNs))
		} else {
			b.WriteString(" with an empty function")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "Measured on %s.\n", joined(machineText(r), clockText(r)))
}

// machineText names the machine: "Cortex-A72, aarch64, go1.26, GOARM64=v8.0".
func machineText(r *result.Report) string {
	return joined(r.Core(), r.Machine.Arch, r.Machine.GoVersion, r.Machine.GoArchLevel)
}

// clockText names the CPU and its rate. An emulator's additions and counters tell none.
func clockText(r *result.Report) string {
	c := &r.Clock
	said := []string{fmt.Sprintf("CPU %d", c.CPU)}
	if r.Machine.Emulator != "" {
		return said[0]
	}
	if c.CoreHz > 0 {
		said = append(said, fmt.Sprintf("core at %s (%s)", frequency(c.CoreHz), c.CoreSource))
	}
	if c.CounterHz > 0 {
		counter := fmt.Sprintf("%s at %s (%s)", c.Counter, frequency(c.CounterHz), c.CounterSource)
		said = append(said, counter)
	}
	return strings.Join(said, ", ")
}

func writeWarnings(b *bytes.Buffer, r *result.Report) {
	if len(r.Warnings) == 0 {
		return
	}
	b.WriteString("\nWarnings:\n")
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "  - %s\n", w)
	}
}

// writeSMHasher shows SMHasher's figures beside the same time in nanoseconds and core cycles.
func writeSMHasher(b *bytes.Buffer, r *result.Report) {
	if len(r.SMHasher) == 0 {
		return
	}
	rows := [][]string{
		{"SMHasher's loop", "length", "ns", "cycles it prints", "core cycles", "factor"},
	}
	for _, s := range r.SMHasher {
		rows = append(rows, []string{
			s.Function, result.SizeText(s.Bytes), numfmt.Digits3(s.Ns), numfmt.Digits3(s.Cycles),
			numfmt.Digits3(s.CoreCycles), fmt.Sprintf("%.3f", s.Factor()),
		})
	}
	b.WriteString("\n" + layOut(rows, 1))
	timer := r.SMHasher[0]
	fmt.Fprintf(b, "\nThe timer of SMHasher is %s here, at %s; the core runs at %s (%s). One of "+
		"its \"cycles\" is %.3f cycles of the core,\nand differs on every machine: compare "+
		"nanoseconds. Its nanoseconds include the cost of the loop.\n",
		timer.Timer, frequency(timer.TimerHz), frequency(r.Clock.CoreHz), r.Clock.CoreSource,
		timer.TimerHz/r.Clock.CoreHz)
}
