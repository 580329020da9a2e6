package stream

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"

	"dpukv/internal/cpu"
	"dpukv/internal/machine"
	"dpukv/internal/tcpinfo"
	"dpukv/probe"

	"golang.org/x/sys/unix"
)

// outcome sums the clients' reports.
func (c *client) outcome() (*probe.Outcome, error) {
	var bandwidth, retransmits float64
	var reports []*report
	for n, out := range c.outputs {
		r, err := parseReport(out.Bytes(), &c.options, c.period)
		if err != nil {
			return nil, fmt.Errorf("iperf3 to %s: client %d: %w", c.task.Addr, n, err)
		}
		bandwidth += r.bandwidth()
		if again := r.End.Sent.Retransmits; again != nil {
			retransmits += float64(*again)
		}
		reports = append(reports, r)
	}
	figures := map[string]float64{figureBandwidth: bandwidth}
	untold := func(r *report) bool { return r.End.Sent.Retransmits == nil }
	if !slices.ContainsFunc(reports, untold) {
		figures[figureRetransmits] = retransmits
	}
	return &probe.Outcome{
		StartedAt: c.startedAt, Duration: c.period, Figures: figures,
		Facts: c.facts(reports), Warnings: c.warnings(reports), Transport: "tcp",
		CPUs: c.usedCPUs(), CPUNs: c.cpuNs, Moved: c.moved,
	}, nil
}

// congestionWord is a name of a way to control congestion, as the kernel has them.
var congestionWord = regexp.MustCompile(`^[a-z0-9_-]{1,16}$`)

func (c *client) usedCPUs() []int {
	used := slices.Clone(c.cpus)
	slices.Sort(used)
	return slices.Compact(used)
}

// facts tell what was used. What iperf3 does not tell is left out.
func (c *client) facts(reports []*report) map[string]string {
	r := reports[0]
	facts := map[string]string{
		"program": c.program.title(), "cpus": cpu.FormatList(c.usedCPUs()),
		axisCores: strconv.Itoa(len(reports)), axisWrite: strconv.Itoa(r.Start.Test.Write),
		axisDirection: c.options.direction, "warmup": c.warmup.String(),
	}
	for name, n := range map[string]int64{"mss": r.Start.MSS, "pmtu": r.pmtu()} {
		if n > 0 {
			facts[name] = strconv.FormatInt(n, 10)
		}
	}
	for name, word := range map[string]string{
		"congestion": r.End.Congestion, "receiver_congestion": r.End.ReceiverCongestion,
	} {
		if congestionWord.MatchString(word) {
			facts[name] = word
		}
	}
	return facts
}

// warnings are those about the measurement.
func (c *client) warnings(reports []*report) (list []string) {
	note := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if c.period != c.task.Duration {
		note("iperf3 measures whole seconds: %v in place of %v", c.period, c.task.Duration)
	}
	if used := c.usedCPUs(); len(used) < len(c.cpus) {
		note("iperf3 clients share CPUs: %d processes, CPU %s", len(c.cpus), cpu.FormatList(used))
	}
	if both := c.sharedCPUs(); len(both) > 0 {
		note("client and server share CPUs %s", cpu.FormatList(both))
	}
	if apart := c.lastAt.Sub(c.firstAt); float64(apart) > noteworthy*float64(c.period) {
		note("the connections' measurement periods begin up to %v apart", apart)
	}
	for n, r := range reports {
		if r.off(c.period) > noteworthy {
			note("iperf3 client %d: the receiver measured %.3f s in place of %v", n,
				r.End.Received.Seconds, c.period)
		}
	}
	return list
}

// sharedCPUs lists the client's CPUs that a server on this machine has, too. It sees no server of
// another network namespace.
func (c *client) sharedCPUs() (both []int) {
	if !machine.Owns(net.JoinHostPort(c.host, strconv.Itoa(c.ports.First))) {
		return nil
	}
	for port := c.ports.First; port <= c.ports.Last; port++ {
		pid := tcpinfo.HolderPID(uint16(port))
		var set unix.CPUSet
		if pid == 0 || unix.SchedGetaffinity(pid, &set) != nil {
			continue
		}
		for _, on := range c.usedCPUs() {
			if set.IsSet(on) && !slices.Contains(both, on) {
				both = append(both, on)
			}
		}
	}
	return both
}
