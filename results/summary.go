package results

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/foreign"
	"dpukv/kvs"
)

// WritePoint writes one point for a terminal: what was asked, what was used, what came out.
func WritePoint(w io.Writer, p *Point) error {
	var b bytes.Buffer
	s := summary{&b, p}
	s.head()
	if p.Ops > 0 {
		s.outcome()
		s.latency()
		s.cost()
	}
	s.doubts()
	_, err := w.Write(b.Bytes())
	return err
}

type summary struct {
	*bytes.Buffer
	p *Point
}

// line writes a name and what there is to say about it; nothing if there is nothing.
func (s *summary) line(name string, said ...string) {
	if text := joined(said...); text != "" {
		fmt.Fprintf(s, "  %s %s\n", padRight(name, 11), foreign.Reason(text))
	}
}

// joined lists what is not empty.
func joined(said ...string) string {
	var kept []string
	for _, t := range said {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, ", ")
}

func (s *summary) head() {
	p := s.p
	fmt.Fprintln(s, joined(kvs.TitleOf(p.Store), p.Placement, submodeTitle(p.Submode), p.Transport, p.Provider))
	if p.Status != StatusOK {
		s.line("failed", indent(p.Error))
		if p.Ops > 0 {
			s.line("", "what follows is as far as it got: its figures are not to be used")
		}
	}
	s.line("workload", Labels(Named("get_ratio", "key_bytes", "value_bytes", "keys", "dist", "hash"), p))
	s.line("load", Labels(Named("loop", "rate_ops", "client_threads", "connections", "window", "batch"), p))
	s.line("server", p.ServerAddr, count(p.ServerThreads, "thread"), p.pinned(p.ServerCPUs), p.ServerVersion,
		Labels(Named("mode", "access", "pages"), p))
	s.line("client", count(p.ClientThreads, "thread"), p.pinned(p.ClientCPUs), p.ClientVersion)
	if p.DurationNs > 0 {
		warmup := ""
		if p.Warmup > 0 {
			warmup = seconds(int64(p.Warmup)) + " of warm-up before"
		}
		if !p.StartedAt.IsZero() { // else it did not come that far
			s.line("measured", seconds(p.DurationNs)+" from "+p.StartedAt.Format(time.RFC3339), warmup)
		}
	}
}

// pinned says where the threads of one end were pinned. A point that failed may not have come that far.
func (p *Point) pinned(cpus []int) string {
	switch {
	case len(cpus) > 1:
		return "CPUs " + cpu.FormatList(cpus)
	case len(cpus) == 1:
		return "CPU " + cpu.FormatList(cpus)
	case p.Status == StatusOK:
		return "not pinned"
	}
	return ""
}

// seconds writes nanoseconds as seconds, to a tenth.
func seconds(ns int64) string { return fmt.Sprint(math.Round(float64(ns)/1e8)/10) + " s" }

func (s *summary) outcome() {
	p := s.p
	s.WriteByte('\n')
	s.line("throughput", fmt.Sprintf("%s Mops (%s, %s of them)", mega(p.ThroughputOps), count(p.Ops, "operation"), count(p.Gets, "GET")))
	if p.OpsPerFrame > 0 {
		s.line("batches", fmt.Sprintf("%s operations and %s bytes a request frame", digits3(p.OpsPerFrame), digits3(p.BytesPerFrame)), perWrite(p))
	}
	if p.Gets > 0 {
		s.line("hits", ratio(p.Hits, p.Gets)+" % of the GETs", grouped(p.Misses)+" not found", evicted(p))
	}
	s.line("errors", problems(p))
	if p.RateOps > 0 {
		s.line("schedule", grouped(p.LateOps)+" operations late", grouped(p.UnsentOps)+" never sent")
	}
}

// perWrite is worth a word where it is not one.
func perWrite(p *Point) string {
	if p.FramesPerWrite < 1.05 {
		return ""
	}
	return digits3(p.FramesPerWrite) + " frames a write"
}

func evicted(p *Point) string {
	if p.Evicted == 0 {
		return ""
	}
	return count(p.Evicted, "item") + " evicted by the server"
}

func problems(p *Point) string {
	if p.Errors+p.Timeouts == 0 {
		return "none"
	}
	return count(p.Errors, "error") + ", " + count(p.Timeouts, "timeout")
}

// latency is a table: both latencies in an open loop, in a closed one they are the same.
func (s *summary) latency() {
	rows := [][]string{{"latency, µs", "mean", "p50", "p95", "p99", "p99.9", "max"}}
	if s.p.RateOps > 0 {
		rows = append(rows, latencyRow("from the intended send", s.p.Latency), latencyRow("from the actual send", s.p.Actual))
	} else {
		rows = append(rows, latencyRow("from the send", s.p.Latency))
	}
	s.WriteByte('\n')
	first := 0
	for _, row := range rows {
		first = max(first, widest(row[:1]))
	}
	for _, row := range rows {
		fmt.Fprintf(s, "  %s", padRight(row[0], first))
		for _, cell := range row[1:] {
			fmt.Fprintf(s, " %s", padLeft(cell, 8))
		}
		s.WriteByte('\n')
	}
}

func latencyRow(name string, l Latency) []string {
	row := []string{name}
	for _, m := range []string{"mean", "p50", "p95", "p99", "p999", "max"} {
		measure, _ := parseMeasure(m)
		row = append(row, micros(measure.of(l)))
	}
	return row
}

func (s *summary) cost() {
	p := s.p
	s.WriteByte('\n')
	s.line("server CPU", fmt.Sprintf("%s ns an operation, %.0f %% of its threads' time", digits3(p.ServerCPUNsPerOp), 100*p.ServerCPUShare))
	s.line("client CPU", fmt.Sprintf("%s ns an operation, %.0f %% of its CPUs' time", digits3(p.ClientCPUNsPerOp), 100*p.ClientCPUShare),
		hashShare(p))
	s.line("", p.hashing())
	if b := p.Bottleneck(); b.Side != SideUnknown {
		s.line("bottleneck", b.Side+": "+b.Why)
	}
}

func hashShare(p *Point) string {
	if p.ClientHashShare == 0 && p.ClientHashShareBy == "" { // nothing was hashed
		return ""
	}
	return digits3(100*p.ClientHashShare) + " % of it hashing keys"
}

// hashing says how the share of hashing is known.
func (p *Point) hashing() string {
	said := ""
	if p.ClientHashShareBy != "" {
		said = "hashing by " + p.ClientHashShareBy
	}
	if p.ClientHashSamples > 0 {
		said += fmt.Sprintf(", %s", count(p.ClientHashSamples, "sample"))
	}
	if p.ClientHashShareCheck > 0 {
		said += fmt.Sprintf("; %s %% by hashing beforehand", digits3(100*p.ClientHashShareCheck))
	}
	return said
}

func (s *summary) doubts() {
	if len(s.p.Warnings) == 0 {
		return
	}
	fmt.Fprintf(s, "\n%s:\n", map[bool]string{true: "Warning", false: "Warnings"}[len(s.p.Warnings) == 1])
	for _, w := range s.p.Warnings {
		fmt.Fprintf(s, "  - %s\n", indent(w))
	}
}
