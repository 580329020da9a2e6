package rr

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"dpukv/probe"
	"dpukv/results"
)

const (
	// lateShare is the share of late messages from which on the outcome has a warning.
	lateShare = 0.01
	// lagShare is the same for the client's lag, as a share of the latency. Both are of the 99th
	// percentile.
	lagShare = 0.1
)

// outcome merges what the threads measured.
func (c *client) outcome() *probe.Outcome {
	sum := c.threads[0].record
	spinNs := c.threads[0].spinNs
	for _, t := range c.threads[1:] {
		sum.add(t.record)
		spinNs += t.spinNs
	}
	o := &probe.Outcome{
		StartedAt: c.start, Duration: c.task.Duration,
		Figures: map[string]float64{
			figureRate: float64(sum.answers) / c.task.Duration.Seconds(),
		},
		Facts: c.facts(), Warnings: c.warnings(sum), Intervals: sum.intervals(c.start),
		Transport: "tcp", CPUNs: c.cpuNs, Moved: movedBy(c.conns),
	}
	if c.seats[0] >= 0 {
		o.CPUs = c.seats
	}
	if h := sum.total(); h.TotalCount() > 0 {
		maps.Copy(o.Figures, probe.Percentiles(h))
	}
	if sum.lag != nil {
		maps.Copy(o.Facts, lagFacts(sum, spinNs, c.task))
	}
	return o
}

// facts are what the client used.
func (c *client) facts() map[string]string {
	facts := socketFacts(c.conns[0].fd)
	facts[axisBytes] = strconv.Itoa(len(c.conns[0].out))
	facts[axisConnections] = strconv.Itoa(len(c.conns))
	facts[axisRate] = strconv.Itoa(c.rate)
	facts["threads"] = strconv.Itoa(len(c.threads))
	facts["wait"] = waitEpoll
	if c.rate == 0 && len(c.threads) == len(c.conns) {
		facts["wait"] = waitReceive
	}
	return facts
}

// lagFacts tell what an open loop's client did by itself.
func lagFacts(sum *record, spinNs int64, t *probe.Task) map[string]string {
	lag := results.LagOf(sum.lag)
	return map[string]string{
		"messages":   strconv.FormatUint(sum.messages, 10),
		"late":       strconv.FormatUint(sum.late, 10),
		"unanswered": strconv.FormatUint(sum.unanswered, 10),
		"lag_p50_ns": strconv.FormatInt(lag.P50Ns, 10),
		"lag_p99_ns": strconv.FormatInt(lag.P99Ns, 10),
		"spin_cpus": strconv.FormatFloat(
			float64(spinNs)/float64(t.Warmup+t.Duration), 'f', 3, 64),
	}
}

// warnings are what a reader of the figures must know.
func (c *client) warnings(sum *record) (list []string) {
	h := sum.total()
	if h.TotalCount() == 0 {
		list = append(list, "no answer came in the measurement period; use a longer duration")
	}
	if n := sum.unanswered; n > 0 {
		what := "the latencies leave them out"
		if sum.lag != nil {
			what = "the latencies count their age, so they are lower bounds"
		}
		list = append(list, fmt.Sprintf("%d messages had no answer %v after the measurement "+
			"period; %s", n, time.Duration(grace), what))
	}
	if sum.lag == nil {
		return list
	}
	if float64(sum.late) > lateShare*float64(sum.messages) {
		list = append(list, fmt.Sprintf("%d of %d messages waited for a free connection, and "+
			"their latency includes the wait; use more connections or a lower rate", sum.late,
			sum.messages))
	}
	lag, p99 := results.LagOf(sum.lag).P99Ns, h.ValueAtPercentile(99)
	if float64(lag) > lagShare*float64(p99) {
		list = append(list, fmt.Sprintf("the client itself sent late: the 99th percentile of "+
			"its lag is %v, that of the latency %v; give it CPUs of its own",
			time.Duration(lag), time.Duration(p99)))
	}
	return list
}
