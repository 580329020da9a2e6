package ovs

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// Received returns the packets that a datapath in user space received, in threads that poll and in
// the switch's main thread. The command fails on a switch with several such datapaths, unless it
// names one, without its type.
func (s Switch) Received(
	ctx context.Context, n step.Node, datapath string,
) (threads, main uint64, err error) {
	_, name, _ := strings.Cut(datapath, "@")
	out, err := n.Run(ctx, s.Appctl("dpif-netdev/pmd-stats-show", name))
	if err != nil && strings.Contains(err.Error(), "is not a valid command") {
		// Newer switches have only this one, which leaves the main thread out.
		out, err = n.Run(ctx, s.Appctl("dpif-netdev/pmd-perf-show", name))
	}
	if err != nil {
		return 0, 0, err
	}
	return parsePMDStats(out)
}

// parsePMDStats reads "packets received" of threads that poll, and of the main thread; or "Rx
// packets" of pmd-perf-show.
func parsePMDStats(out string) (threads, main uint64, err error) {
	var now *uint64
	seen := 0
	for line := range strings.Lines(out) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "pmd thread "):
			now = &threads
		case text == "main thread:":
			now = &main
		}
		if m := received.FindStringSubmatch(text); m != nil && now != nil {
			v, err := strconv.ParseUint(m[1], 10, 64)
			if err != nil {
				return 0, 0, fmt.Errorf("pmd-stats-show: %w", err)
			}
			*now += v
			seen++
		}
	}
	if seen == 0 {
		return 0, 0, fmt.Errorf("pmd-stats-show: found no packets received: %s", step.Shorten(out))
	}
	return threads, main, nil
}

var received = regexp.MustCompile(`^(?:packets received|Rx packets):\s*(\S+)`)

// Lookups returns the number of packets that the kernel datapath has looked up.
func (s Switch) Lookups(ctx context.Context, n step.Node) (uint64, error) {
	out, err := n.Run(ctx, s.Appctl("dpctl/show", KernelDatapath))
	if err != nil {
		return 0, err
	}
	return parseLookups(out)
}

var lookups = regexp.MustCompile(`lookups: hit:(\d+) missed:(\d+) lost:(\d+)`)

func parseLookups(out string) (uint64, error) {
	m := lookups.FindStringSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("dpctl/show: found no lookups: %s", step.Shorten(out))
	}
	hit, err1 := strconv.ParseUint(m[1], 10, 64)
	missed, err2 := strconv.ParseUint(m[2], 10, 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("dpctl/show: found %q", m[0])
	}
	return hit + missed, nil
}

// RuleFlows returns the packets of the flows that the kernel's traffic control carries, by the
// flow's ID.
func (s Switch) RuleFlows(ctx context.Context, n step.Node) (map[string]uint64, error) {
	out, err := n.Run(ctx, s.Appctl("dpctl/dump-flows", "-m", KernelDatapath, "type=all"))
	if err != nil {
		return nil, err
	}
	return parseRules(out), nil
}

var (
	flowID    = regexp.MustCompile(`^ufid:([0-9a-f-]+)`)
	flowCount = regexp.MustCompile(`packets:(\d+)`)
	flowPart  = regexp.MustCompile(`dp:(\w+)`)
	flowDrops = regexp.MustCompile(`actions:drop`)
)

// parseRules leaves out flows that drop, and those that the switch's own datapath carries.
func parseRules(out string) map[string]uint64 {
	flows := map[string]uint64{}
	for line := range strings.Lines(out) {
		id, count := flowID.FindStringSubmatch(line), flowCount.FindStringSubmatch(line)
		in := flowPart.FindStringSubmatch(line)
		if id == nil || count == nil || in == nil || in[1] != "tc" ||
			flowDrops.MatchString(line) {
			continue
		}
		if v, err := strconv.ParseUint(count[1], 10, 64); err == nil {
			flows[id[1]] += v
		}
	}
	return flows
}
