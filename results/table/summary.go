package table

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dpukv/internal/foreign"
	"dpukv/internal/numfmt"
	"dpukv/kvs"
	"dpukv/results"
)

// WritePoint writes one point for a terminal: the request, the configuration in use, the outcome.
func WritePoint(w io.Writer, p *results.Point) error {
	var b bytes.Buffer
	s := summary{&b, p}
	s.head()
	if p.Ops > 0 {
		s.outcome()
		s.latency()
		s.stages()
		s.cost()
	}
	s.warnings()
	_, err := w.Write(b.Bytes())
	return err
}

// summary is the text about one point.
type summary struct {
	*bytes.Buffer
	p *results.Point
}

// shown are the point's values in dimensions.
func (s *summary) shown(dimensions ...string) []string {
	var values []string
	for _, d := range results.Named(dimensions...) {
		values = append(values, d.Shown(s.p))
	}
	return values
}

// labels are the point's values in dimensions, in words.
func (s *summary) labels(dimensions ...string) string {
	return results.Labels(results.Named(dimensions...), s.p)
}

// line writes a name and the texts behind it. It writes nothing if all texts are empty.
func (s *summary) line(name string, said ...string) {
	if text := joined(said...); text != "" {
		fmt.Fprintf(s, "  %s %s\n", padRight(name, 11), foreign.Reason(text))
	}
}

// joined lists the non-empty texts.
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
	fmt.Fprintln(s, joined(s.shown("store", "placement", "submode", "transport", "tls",
		"cluster_nodes", "provider")...))
	if p.Status != results.StatusOK {
		s.line("failed", indent(p.Error))
		if p.Ops > 0 {
			s.line("", "the figures below are partial: do not use them")
		}
	}
	s.line("trace", s.labels("trace", "trace_speed", "trace_sample", "trace_range"), traceFile(p))
	s.line("workload", s.labels("get_ratio", "set_after", "key_bytes", "value_bytes", "keys",
		"dist", "hash"))
	s.line("load", s.labels("loop", "rate_ops", "arrivals", "client_threads", "connections",
		"window", "batch", "requests", "reconnect_every", "compute_ns"))
	s.line("server", p.ServerAddr, serverThreads(p), p.ServerVersion,
		s.labels("mode", "access", "pages", "server_wait"))
	s.line("client", numfmt.Count(p.ClientThreads, "thread"), p.Pinning(p.ClientCPUs),
		lanesThreads("proxy", p, p.ProxyLanes), p.ClientVersion, s.labels("client_wait"))
	if p.DurationNs > 0 {
		warmup := ""
		if p.Warmup > 0 {
			warmup = seconds(int64(p.Warmup)) + " of warm-up before"
		}
		if !p.StartedAt.IsZero() { // else it failed before
			s.line("measured", seconds(p.DurationNs)+" from "+p.StartedAt.Format(time.RFC3339),
				warmup)
		}
	}
}

// serverThreads are the threads of the server with their CPUs, or those of both its halves.
func serverThreads(p *results.Point) string {
	if p.Lanes == nil {
		return joined(numfmt.Count(p.ServerThreads, "thread"), p.ServerPinning())
	}
	return joined("engine "+numfmt.Count(p.EngineThreads, "thread"), p.ServerPinning(),
		lanesThreads("store half", p, p.Lanes))
}

// lanesThreads are the threads of the half at the other end of lanes, with their CPUs.
func lanesThreads(half string, p *results.Point, l *results.Lanes) string {
	if l == nil {
		return ""
	}
	return joined(half+" "+numfmt.Count(l.Threads, "thread"), p.Pinning(l.CPUs))
}

// seconds is a time in seconds, or a short one in milliseconds.
func seconds(ns int64) string {
	if ns < 1e9 {
		return numfmt.Digits3(float64(ns)/1e6) + " ms"
	}
	return fmt.Sprint(math.Round(float64(ns)/1e8)/10) + " s"
}

func (s *summary) outcome() {
	p := s.p
	s.WriteByte('\n')
	s.line("throughput", fmt.Sprintf("%s Mops (%s, %s of them)", mega(p.ThroughputOps),
		numfmt.Count(p.Ops, "operation"), numfmt.Count(p.Gets, "GET")))
	if p.OpsPerFrame > 0 {
		s.line("batches", fmt.Sprintf("%s operations and %s bytes per request frame",
			numfmt.Digits3(p.OpsPerFrame), numfmt.Digits3(p.BytesPerFrame)), perWrite(p))
	}
	if p.Gets > 0 {
		s.line("hits", numfmt.PercentOf(p.Hits, p.Gets)+" % of the GETs"+hitInterval(p),
			numfmt.Grouped(p.Misses)+" not found",
			evicted(p))
		if lostKeys(p) {
			s.line("", "in mode cache, a store drops items where its index or its memory is full")
		}
	}
	if p.Fills > 0 {
		s.line("fills", numfmt.Grouped(p.Fills)+" misses stored, beside the operations above")
	}
	if p.InFlightShare > 0 {
		s.line("in flight", fmt.Sprintf("%s operations, %.0f %% of what the windows hold",
			numfmt.Digits3(p.InFlightMean), 100*p.InFlightShare))
	}
	s.line("errors", problems(p))
	if p.Reconnects > 0 {
		s.line("reconnects", fmt.Sprintf("%s in the measurement period, each %s µs in the mean",
			numfmt.Grouped(p.Reconnects), micros(p.ReconnectMeanNs)))
	}
	s.line("overlap", overlapOf(p))
	if p.OpenLoop() {
		s.line("schedule", numfmt.Grouped(p.LateOps)+" operations late",
			numfmt.Grouped(p.UnsentOps)+" never sent", clientLag(p))
	}
}

// hitInterval is the interval of the hit rate, or "" if there is none.
func hitInterval(p *results.Point) string {
	i := p.HitRateInterval
	if i.Sections == 0 {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval: %s to %s)", numfmt.Digits3(100*i.Lo),
		numfmt.Digits3(100*i.Hi))
}

// traceFile tells what a trace has, or "" without one.
func traceFile(p *results.Point) string {
	t := p.TraceFile
	if t.SHA256 == "" {
		return ""
	}
	text := fmt.Sprintf("%s on %s, SHA-256 %.16s…", numfmt.Count(t.Operations, "operation"),
		numfmt.Count(t.Keys, "key"), t.SHA256)
	if t.LeftOut > 0 {
		text += ", " + numfmt.Grouped(t.LeftOut) + " of its source left out"
	}
	return text
}

// overlapOf tells what a compute hides, or "" if the client computes nothing.
func overlapOf(p *results.Point) string {
	o := p.Overlap
	if o.CommNs == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %% of a batch's %s µs: with a compute of %s µs both take %s µs",
		o.Percent, micros(o.CommNs), micros(o.ComputeNs), micros(o.OverallNs))
}

// clientLag is the client's own delay, or "" if the point does not tell it.
func clientLag(p *results.Point) string {
	l := p.ClientLag
	if l == (results.Lag{}) {
		return ""
	}
	return fmt.Sprintf("the client's own delay %s µs at p50, %s at p99, %s at most",
		micros(float64(l.P50Ns)), micros(float64(l.P99Ns)), micros(float64(l.MaxNs)))
}

// perWrite is the number of frames a write, or "" if it is one.
func perWrite(p *results.Point) string {
	if p.FramesPerWrite < 1.05 {
		return ""
	}
	return numfmt.Digits3(p.FramesPerWrite) + " frames a write"
}

func evicted(p *results.Point) string {
	if p.Evicted == 0 {
		return ""
	}
	return numfmt.Count(p.Evicted, "item") + " evicted by the server"
}

func problems(p *results.Point) string {
	if p.Errors+p.Timeouts == 0 {
		if p.Status != results.StatusOK {
			return "the failure above, and none before it"
		}
		return "none"
	}
	return numfmt.Count(p.Errors, "error") + ", " + numfmt.Count(p.Timeouts, "timeout")
}

// latency writes a table. An open loop has two latencies; in a closed loop they are the same.
func (s *summary) latency() {
	head := []string{"latency, µs"}
	for _, m := range results.LatencyMetrics() {
		head = append(head, m.Shown())
	}
	rows := [][]string{head}
	from := "from the send"
	if s.p.OpenLoop() {
		from = "from the intended send"
	}
	rows = append(rows, s.latencyRow(from, (*results.Metric).Intended))
	rows = append(rows, intervalRows(s.p.LatencyInterval)...)
	rows = append(rows, kindRows(s.p)...)
	if s.p.OpenLoop() {
		rows = append(rows,
			s.latencyRow("from the actual send", (*results.Metric).FromActualSend))
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
	if ns := s.p.P9999Ns; ns > 0 {
		p9999 := results.Metric{Percentile: 99.99}
		cell := atLeast(micros(float64(ns)), p9999.LowerBound(s.p))
		fmt.Fprintf(s, "  %s %s\n", padRight("p99.99", first), padLeft(cell, 8))
	}
}

// latencyRow has the metrics from one of the two sends.
func (s *summary) latencyRow(
	name string, from func(*results.Metric) *results.Metric,
) []string {
	row := []string{name}
	for _, m := range results.LatencyMetrics() {
		m = from(m)
		row = append(row, atLeast(micros(m.Of(s.p)), m.LowerBound(s.p)))
	}
	return row
}

// kindRows have the latencies by what the operations were and found. In an open loop they count
// from the intended send.
func kindRows(p *results.Point) (rows [][]string) {
	for i := range p.ByOp {
		k := &p.ByOp[i]
		title := "  " + k.Title() + ", " + numfmt.Count(k.Ops, "operation")
		row := []string{title}
		for _, m := range results.LatencyMetrics() {
			row = append(row, micros(m.OfLatency(k.Latency)))
		}
		rows = append(rows, row)
	}
	return rows
}

// intervalRows are the ends of the intervals below the percentiles. The mean and the maximum have
// none.
func intervalRows(i results.LatencyInterval) [][]string {
	if i == (results.LatencyInterval{}) {
		return nil
	}
	name := "  95 % interval"
	if i.Sections == 0 {
		name = "  older build's interval"
	}
	lows, highs := []string{name + ", low end"}, []string{name + ", high end"}
	for _, m := range results.LatencyMetrics() {
		low, high, has := m.Ends(&i)
		none := "–"
		lows = append(lows, end(low, none))
		if has {
			none = "none"
		}
		highs = append(highs, end(high, none))
	}
	return [][]string{lows, highs}
}

// end is an end of an interval, or what stands for none.
func end(ns int64, none string) string {
	if ns == 0 {
		return none
	}
	return micros(float64(ns))
}

// stages tells where the mean latency goes.
func (s *summary) stages() {
	list := s.p.Stages.List()
	if len(list) == 0 {
		return
	}
	s.WriteString("\n  where the mean goes, µs\n")
	width := 0
	for _, stage := range list {
		width = max(width, widest([]string{stage.Title}))
	}
	for _, stage := range list {
		fmt.Fprintf(s, "  %s %s %s\n", padRight(stage.Title, width), padLeft(micros(stage.Ns), 8),
			padLeft(fmt.Sprintf("%.0f %%", 100*stage.Ns/s.p.MeanNs), 5))
	}
	if s.p.Compute > 0 {
		s.WriteString("  the rest includes the wait for the end of a compute\n")
	}
}

// energyOf is the energy of a side's machine, or "" if it is not known.
func energyOf(side string, uj float64, by string) string {
	if uj == 0 {
		return ""
	}
	return fmt.Sprintf("%s µJ per operation on the %s's machine (%s)", numfmt.Digits3(uj), side, by)
}

// perCore is the server's side for each second of CPU time, by the kind of node.
func perCore(p *results.Point) string {
	var said []string
	for _, kind := range []string{results.KindHost, results.KindDPU} {
		if ops := p.OpsPerCoreS(kind); ops > 0 {
			said = append(said, fmt.Sprintf("%s Mops per busy core-second of the %s", mega(ops),
				map[string]string{results.KindHost: "host", results.KindDPU: "DPU"}[kind]))
		}
	}
	return joined(said...)
}

func (s *summary) cost() {
	p := s.p
	s.WriteByte('\n')
	s.line("server CPU", cpuTime(p.ServerCPUNsPerOp, spunText(p.PartOf(kvs.PartServer)),
		p.ServerCPUShare, "threads"),
		interruptShare(p.ServerInterruptShare))
	s.line("", perCore(p))
	s.line("energy", energyOf("server", p.ServerEnergyUJPerOp, p.ServerEnergyBy),
		energyOf("client", p.ClientEnergyUJPerOp, p.ClientEnergyBy))
	s.line("client CPU", cpuTime(p.ClientCPUNsPerOp, "", p.ClientCPUShare, "CPUs"),
		computeCPU(p), interruptShare(p.ClientInterruptShare), hashShare(p))
	s.line("", hashShareSource(p))
	s.parts()
	if b := p.Bottleneck(); b.Side != results.SideUnknown {
		s.line("bottleneck", b.Side+": "+b.Why)
	}
}

// cpuTime is a CPU time per operation, and as a share of all that an end has. Both are 0 if they
// are not known: of a load that was cut off, or of a server with other counters than the load's.
func cpuTime(ns float64, spun string, share float64, of string) string {
	if ns == 0 && share == 0 {
		return "unknown"
	}
	per := "unknown per operation"
	if ns > 0 {
		per = numfmt.Digits3(ns) + " ns per operation" + spun
	}
	return fmt.Sprintf("%s, %.0f %% of its %s' time", per, 100*share, of)
}

// parts has the CPU time of each part, if something is split, and what joins the parts.
func (s *summary) parts() {
	if !s.p.Split() {
		return
	}
	name := "parts"
	for i := range s.p.Parts {
		part := &s.p.Parts[i]
		s.line(name, fmt.Sprintf("%s %s ns per operation", part.Part,
			numfmt.Digits3(part.CPUNsPerOp))+spunText(part))
		name = ""
	}
	s.line("lanes", laneText("to the store", "answers", s.p.Lanes),
		laneText("to the proxy", "requests", s.p.ProxyLanes))
	s.line("items", itemsText(s.p.Items))
}

// spunText tells the part of a CPU time that found no work, or "" if there is none.
func spunText(part *results.Part) string {
	if part.SpunNsPerOp == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s of it polling without work)", numfmt.Digits3(part.SpunNsPerOp))
}

// itemsText says how clients read items, or "" if they do not.
func itemsText(i *results.Items) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("%.2f %% of GETs answered by READ alone; per GET %s READs, %s bytes, %s "+
		"READs again; a check takes %s ns; the server works for %s ns per operation; READs are "+
		"answered by %s", 100*i.ReadShare,
		numfmt.Digits3(i.ReadsPerGet), numfmt.Digits3(i.BytesPerGet),
		numfmt.Digits3(i.RetriesPerGet), numfmt.Digits3(i.CheckNsPerRead),
		numfmt.Digits3(i.ServerWorkNsPerOp), responders[i.Responder])
}

// responders are those at the server.
var responders = map[string]string{
	kvs.ByNobody: "no CPU of the server: the client copies memory",
	kvs.ByNIC:    "the server's NIC", kvs.ByKernel: "the server's kernel, in software",
	kvs.BySoftware: "the server's threads, in software",
}

// laneText says how lanes carry messages, or "" if there are none. The messages are those out of
// the memory of a half.
func laneText(to, messages string, l *results.Lanes) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%s over %s, %s by %s, threads %s, ordering %s", to, l.Provider, messages,
		l.Answers, l.Wait, l.Ordering)
}

// interruptShare is left out below a percent, of which the kernel's ticks tell little.
func interruptShare(share float64) string {
	if share < 0.01 {
		return ""
	}
	return fmt.Sprintf("interrupts %.0f %% of its CPUs' time", 100*share)
}

// computeCPU is the application's part of the client's CPU time, or "" if there is none.
func computeCPU(p *results.Point) string {
	if p.ComputeCPUNsPerOp == 0 {
		return ""
	}
	return fmt.Sprintf("%s ns of it compute, %s µs each in the mean",
		numfmt.Digits3(p.ComputeCPUNsPerOp), micros(p.ComputeMeanNs))
}

func hashShare(p *results.Point) string {
	if p.ClientHashShare == 0 && p.ClientHashShareBy == "" { // nothing was hashed
		return ""
	}
	return numfmt.Digits3(100*p.ClientHashShare) + " % of it hashing keys"
}

// hashShareSource names the source of the share of hashing.
func hashShareSource(p *results.Point) string {
	said := ""
	if p.ClientHashShareBy != "" {
		said = "hashing by " + p.ClientHashShareBy
	}
	if p.ClientHashSamples > 0 {
		said += fmt.Sprintf(", %s", numfmt.Count(p.ClientHashSamples, "sample"))
	}
	if p.ClientHashShareCheck > 0 {
		said += fmt.Sprintf("; %s %% by hashing beforehand",
			numfmt.Digits3(100*p.ClientHashShareCheck))
	}
	return said
}

func (s *summary) warnings() {
	if len(s.p.Warnings) == 0 {
		return
	}
	head := "Warnings"
	if len(s.p.Warnings) == 1 {
		head = "Warning"
	}
	fmt.Fprintf(s, "\n%s:\n", head)
	for _, w := range s.p.Warnings {
		fmt.Fprintf(s, "  - %s\n", indent(w.String()))
	}
}
