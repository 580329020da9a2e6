package ovs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// cookie marks our OpenFlow rules.
const cookie = "0xd9d7"

// CheckFilter refuses filters that rules cannot express.
func CheckFilter(f *packetfilter.Filter) error {
	if f.CountOpcodes {
		return errors.New("an operation's code lies in the payload, where neither an OpenFlow " +
			"rule nor flower or an eSwitch looks; allowed: drop-client, drop-key-hash")
	}
	return nil
}

// Drop puts a filter's rules into the bridge. A switch that offloads flows also offloads these.
func (s Switch) Drop(f *packetfilter.Filter, r *packetfilter.Requests) (list []step.Step) {
	rule := func(purpose, match string) {
		flow := fmt.Sprintf("cookie=%s,priority=100,%s,actions=drop", cookie, match)
		list = append(list, step.Step{Purpose: purpose, Run: s.Ofctl("add-flow", flow)})
	}
	for _, a := range f.DropClients {
		rule("drop what comes from "+a.String(), fmt.Sprintf("ip,nw_src=%s", a))
	}
	for _, p := range f.DropPartitions {
		rule(fmt.Sprintf("drop the requests for partition %d", p),
			fmt.Sprintf("udp,tp_dst=%d,tp_src=%d", r.Port, r.SourcePort(p)))
	}
	return list
}

var droppedByRule = regexp.MustCompile(`n_packets=(\d+)`)

// Dropped counts the packets that a filter's rules dropped. The switch adds its datapath's counts
// now and then, so Dropped first asks it to do so.
func (s Switch) Dropped(
	ctx context.Context, n step.Node, f *packetfilter.Filter,
) (sum uint64, err error) {
	if f.None() {
		return 0, nil
	}
	if _, err := n.Run(ctx, s.Appctl("revalidator/wait")); err != nil {
		return 0, err
	}
	out, err := n.Run(ctx, s.Ofctl("dump-flows", "cookie="+cookie+"/-1"))
	if err != nil {
		return 0, err
	}
	rules := droppedByRule.FindAllStringSubmatch(out, -1)
	if len(rules) != f.Rules() {
		return 0, fmt.Errorf("found %d of our rules in the bridge, allowed: %d", len(rules),
			f.Rules())
	}
	for _, m := range rules {
		v, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}
