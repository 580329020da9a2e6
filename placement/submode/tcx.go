package submode

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/redirect"
	"dpukv/placement/submode/step"
)

// tcx stands in for an eSwitch: an eBPF program, without a process of its own.
var tcx = &datapath{
	name: "tcx", target: Linux, submodes: []string{SM4, SM5},
	title:      "an eBPF redirect in traffic control (tcx)",
	substitute: senderForwards, forwarder: tcxForwarder{},
}

// senderForwards describes the difference from an eSwitch.
const senderForwards = "for the eSwitch: the CPU of the sender forwards, without Open vSwitch; " +
	"the same for SM4 and SM5"

type tcxForwarder struct{}

// command returns the command of this program's own part on the node: see package redirect.
func (tcxForwarder) command(s *setup, args ...string) []string {
	return append([]string{cmp.Or(s.Binary, "dpukv"), "redirect"}, args...)
}

func (f tcxForwarder) Check(s *setup) []step.Step {
	return []step.Step{{
		Purpose: "a kernel that takes programs on tcx",
		Run:     append([]string{"unshare", "--net"}, f.command(s, "try")...),
		Advice: "Linux 6.6 or later with CONFIG_BPF_SYSCALL and CONFIG_NET_XGRESS, and root's " +
			"rights",
	}}
}

// Steps put the filter into the program.
func (f tcxForwarder) Steps(s *setup) (list []step.Step) {
	attach := append([]string{"attach"}, s.ports()...)
	for _, word := range s.Filter.Words() {
		attach = append(attach, "--filter="+word)
	}
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: "our program on " + port + ", removed at the end",
			Undo:    f.command(s, "detach", port), Port: port,
		})
	}
	return append(list, step.Step{
		Purpose: "redirect between the ports", Run: f.command(s, attach...),
	})
}

func (f tcxForwarder) Verify(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: "one redirect on " + port, Run: f.command(s, "count", port),
			Expect: func(out string) error {
				c, err := parseRedirect(out)
				if err == nil && c[port].Programs != 1 {
					err = fmt.Errorf("found %d programs of ours, allowed: 1", c[port].Programs)
				}
				return err
			},
		})
	}
	return list
}

func (f tcxForwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) error {
	out, err := n.Run(ctx, f.command(s, append([]string{"count"}, s.ports()...)...))
	if err != nil {
		return err
	}
	counts, err := parseRedirect(out)
	if err != nil {
		return err
	}
	for _, port := range s.ports() {
		counted := counts[port]
		c.Carried[port] = counted.Passed
		c.Dropped += counted.Dropped
		c.Uncut += counted.Uncut
		for op, n := range counted.Opcodes {
			c.Opcodes[op] += n
		}
	}
	return nil
}

// Filter refuses nothing: the program does all of it.
func (tcxForwarder) Filter(*packetfilter.Filter) error { return nil }

// parseRedirect reads the programs' counts by interface, as "dpukv redirect count" prints them.
func parseRedirect(out string) (c map[string]redirect.Counts, err error) {
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		return nil, fmt.Errorf("redirect count: %w", err)
	}
	return c, nil
}
