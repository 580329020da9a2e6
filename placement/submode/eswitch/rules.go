package eswitch

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// InHardware returns the packets that the eSwitch forwarded by traffic control's rules on what
// comes in at the ports, by port and rule.
func InHardware(ctx context.Context, n step.Node, ports []string) (map[string]uint64, error) {
	packets := map[string]uint64{}
	for _, port := range ports {
		out, err := n.Run(ctx, []string{"tc", "-s", "filter", "show", "dev", port, "ingress"})
		if err != nil {
			return nil, err
		}
		addInHardware(packets, port, out)
	}
	return packets, nil
}

var (
	ruleHandle   = regexp.MustCompile(`\bpref (\d+) \S+ (?:chain (\d+) )?handle (\S+)`)
	inHardware   = regexp.MustCompile(`\b(not_)?in_hw\b`)
	sentAll      = regexp.MustCompile(`\bSent \d+ bytes (\d+) pkt`)
	sentHardware = regexp.MustCompile(`\bSent hardware \d+ bytes (\d+) pkt`)
	sentSoftware = regexp.MustCompile(`\bSent software \d+ bytes (\d+) pkt`)
)

// addInHardware reads "tc -s filter show". Each action of a rule counts the rule's packets, so the
// first one counts. A rule's own state stands before the states of its actions.
func addInHardware(packets map[string]uint64, port, out string) {
	for _, text := range strings.Split("\n"+out, "\nfilter ")[1:] {
		handle, state := ruleHandle.FindStringSubmatch(text), inHardware.FindStringSubmatch(text)
		if handle == nil || state == nil || state[1] == "not_" {
			continue // the head of a list of rules, or a rule that only the CPU follows
		}
		hardware := first(sentHardware, text)
		if hardware == 0 {
			// tc leaves out a line without packets, and an older one both lines.
			all := first(sentAll, text)
			hardware = all - min(first(sentSoftware, text), all)
		}
		packets[port+" "+strings.Join(handle[1:], "/")] = hardware
	}
}

// first returns the first number that a pattern finds, or 0.
func first(pattern *regexp.Regexp, text string) uint64 {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseUint(m[1], 10, 64)
	return v
}
