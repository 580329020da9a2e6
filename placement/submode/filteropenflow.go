package submode

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

	"dpukv/placement/submode/packetfilter"
	"dpukv/verbs"
)

// cookie marks our OpenFlow rules.
const cookie = "0xd9d7"

// openFlowSteps put the rules into Open vSwitch, which offloads them where it offloads.
func (s *site) openFlowSteps() (list []Step) {
	rule := func(says, match string) {
		list = append(list, Step{Says: says, Run: s.ofctl("add-flow", fmt.Sprintf("cookie=%s,priority=100,%s,actions=drop", cookie, match))})
	}
	for _, a := range s.cfg.Filter.DropClients {
		rule("drop what comes from "+a.String(), fmt.Sprintf("ip,nw_src=%s", a))
	}
	for _, p := range s.cfg.Filter.DropPartitions {
		rule(fmt.Sprintf("drop the requests for partition %d", p),
			fmt.Sprintf("udp,tp_dst=%d,tp_src=%d", verbs.RoCEPort, packetfilter.SourcePort(p)))
	}
	return list
}

var droppedByRule = regexp.MustCompile(`n_packets=(\d+)`)

// countDrops reads what our rules dropped. The switch takes its time to add up what its datapath counted: it is asked to.
func (s *site) countDrops(ctx context.Context, n Node, e *Evidence) error {
	if s.cfg.Filter.None() {
		return nil
	}
	if _, err := n.Run(ctx, s.appctl("revalidator/wait")); err != nil {
		return err
	}
	out, err := n.Run(ctx, s.ofctl("dump-flows", "cookie="+cookie+"/-1"))
	if err != nil {
		return err
	}
	rules := droppedByRule.FindAllStringSubmatch(out, -1)
	if len(rules) != s.cfg.Filter.Rules() {
		return found(len(rules), "of our rules in the bridge", strconv.Itoa(s.cfg.Filter.Rules()))
	}
	for _, m := range rules {
		v, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			return err
		}
		e.Dropped += v
	}
	return nil
}

// countDropsOf reads what our rules dropped, all of which a datapath has counted under a name as carried.
func (s *site) countDropsOf(ctx context.Context, n Node, e *Evidence, name string) error {
	if err := s.countDrops(ctx, n, e); err != nil {
		return err
	}
	e.Carried[name] -= min(e.Dropped, e.Carried[name])
	return nil
}
