package eswitch

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"dpukv/placement/submode/step"
)

// Rules are the packets of traffic control's rules, by port and rule.
type Rules struct {
	// InHardware are packets that the eSwitch forwarded by a rule.
	InHardware map[string]uint64
	// InSoftware are packets that the CPU forwarded by a rule.
	InSoftware map[string]uint64
}

// ReadRules reads the rules on packets that come in at the ports.
func ReadRules(ctx context.Context, n step.Node, ports []string) (*Rules, error) {
	r := &Rules{InHardware: map[string]uint64{}, InSoftware: map[string]uint64{}}
	for _, port := range ports {
		out, err := n.Run(ctx, []string{"tc", "-s", "filter", "show", "dev", port, "ingress"})
		if err != nil {
			return nil, err
		}
		r.add(port, out)
	}
	return r, nil
}

var (
	ruleHandle   = regexp.MustCompile(`\bpref (\d+) \S+ (?:chain (\d+) )?handle (\S+)`)
	inHardware   = regexp.MustCompile(`\b(not_)?in_hw\b`)
	sentAll      = regexp.MustCompile(`\bSent \d+ bytes (\d+) pkt`)
	sentHardware = regexp.MustCompile(`\bSent hardware \d+ bytes (\d+) pkt`)
	sentSoftware = regexp.MustCompile(`\bSent software \d+ bytes (\d+) pkt`)
)

// add reads "tc -s filter show". Each action of a rule counts the rule's packets, so the first one
// counts. A rule's own state stands before the states of its actions.
func (r *Rules) add(port, out string) {
	for _, text := range strings.Split("\n"+out, "\nfilter ")[1:] {
		handle, state := ruleHandle.FindStringSubmatch(text), inHardware.FindStringSubmatch(text)
		if handle == nil || state == nil {
			continue // the head of a list of rules
		}
		name := port + " " + strings.Join(handle[1:], "/")
		all, software := first(sentAll, text), first(sentSoftware, text)
		hardware := first(sentHardware, text)
		switch {
		case state[1] == "not_":
			r.InSoftware[name] = all
		case hardware == 0:
			// tc leaves out a line without packets, and an older one both lines.
			r.InHardware[name], r.InSoftware[name] = all-min(software, all), software
		default:
			r.InHardware[name], r.InSoftware[name] = hardware, software
		}
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
