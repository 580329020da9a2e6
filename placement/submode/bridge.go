package submode

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/step"
)

// bridge is the kernel's own bridge.
var bridge = &datapath{
	name: "bridge", target: Linux, submodes: []string{SM1}, title: "the kernel's bridge",
	substitute: "for OvS's kernel datapath: it forwards in the kernel, without OvS's flows",
	onlyAsked:  true, forwarder: bridgeForwarder{},
}

type bridgeForwarder struct{ noFilter }

// Check tries the required features in a namespace that ends with the command. Our bridge and our
// table must not exist: an existing one is not ours to remove later.
func (bridgeForwarder) Check(*setup) []step.Step {
	return []step.Step{
		{
			Purpose: "no interface called " + bridgeName,
			Run:     []string{"ip", "-j", "link", "show"}, Expect: iplink.Lacks(bridgeName),
			Advice: "ip link del " + bridgeName + ", if nobody needs it",
		},
		{
			Purpose: "a kernel with a bridge, and counters of what it forwards (nft, " +
				"family bridge)",
			Run: step.Shell(`exec unshare --net sh -euc '
ip link add name br0 type bridge
nft "table bridge t { chain c { type filter hook forward priority 0; counter; }; }"'`),
			Advice: "install Debian's nftables, or what your system calls it; " +
				"a kernel with the modules bridge and nf_tables",
		},
		{
			Purpose: "no table of our name in nftables",
			Run:     step.Shell(`nft list table bridge "$1" 2>/dev/null || :`, bridgeName),
			Expect:  step.Empty,
			Advice:  "nft delete table bridge " + bridgeName + ", if nobody needs it",
		},
	}
}

// Steps count in a netfilter hook, since a bridge has no counters of its own.
func (bridgeForwarder) Steps(s *setup) []step.Step {
	table := fmt.Sprintf(`table bridge %[1]s { chain forward { type filter hook forward priority 0; `+
		`iifname "%[2]s" counter; iifname "%[3]s" counter; }; }`,
		bridgeName, s.Ports.Wire, s.Ports.Host)
	list := []step.Step{
		{
			Purpose: "a bridge",
			Run: []string{
				"ip", "link", "add", "name", bridgeName, "type", "bridge", "mcast_snooping", "0",
			},
			Undo: step.Shell(`ip link del "$1" 2>/dev/null || :`, bridgeName),
		},
		{
			Purpose: "a counter of what it forwards, by the port that it came in at",
			Run:     []string{"nft", table},
			Undo:    step.Shell(`nft delete table bridge "$1" 2>/dev/null || :`, bridgeName),
		},
	}
	for _, port := range s.ports() {
		list = append(list, step.Step{
			Purpose: port + " into the bridge",
			Run:     []string{"ip", "link", "set", "dev", port, "master", bridgeName},
			State: step.Shell(
				`ip -o link show dev "$1" | sed -n 's/.* master \([^ ]*\) .*/\1/p'`, port),
			Sets: bridgeName,
			Undo: []string{"ip", "link", "set", "dev", port, "nomaster"}, Port: port,
		})
	}
	up := []string{"ip", "link", "set", "dev", bridgeName, "up"}
	return append(list, step.Step{Purpose: "the bridge up", Run: up})
}

// learnTimeout bounds the time until a bridge's port comes up and forwards.
const learnTimeout = 30 * time.Second

func (bridgeForwarder) Verify(s *setup) []step.Step {
	return []step.Step{{
		Purpose: "both ports are in the bridge and forward",
		Run:     []string{"ip", "-d", "-j", "link", "show"}, Within: learnTimeout,
		Expect: iplink.Check(func(all iplink.Links) error {
			for _, port := range s.ports() {
				l := all[port]
				if l.Master != bridgeName || l.Info.Slave.State != "forwarding" {
					return fmt.Errorf("found %s in %q, %q, allowed: in %s, forwarding",
						port, l.Master, l.Info.Slave.State, bridgeName)
				}
			}
			return nil
		}),
	}}
}

var nftCounter = regexp.MustCompile(`iifname "([^"]+)" counter packets (\d+)`)

// Count reads netfilter's counters. They count the packets of all bridges. So packets of a port in
// another bridge count as elsewhere.
func (bridgeForwarder) Count(ctx context.Context, _ *setup, n step.Node, c *Counts) error {
	out, err := n.Run(ctx, []string{"ip", "-j", "link", "show"})
	if err != nil {
		return err
	}
	all, err := iplink.Parse(out)
	if err != nil {
		return err
	}
	out, err = n.Run(ctx, []string{"nft", "list", "table", "bridge", bridgeName})
	if err != nil {
		return err
	}
	for _, m := range nftCounter.FindAllStringSubmatch(out, -1) {
		v, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			return fmt.Errorf("nft list: %w", err)
		}
		if port := all[m[1]]; port.Master == bridgeName {
			c.Carried[m[1]] = v
		} else {
			c.Elsewhere[fmt.Sprintf("%s in bridge %q", m[1], port.Master)] = v
		}
	}
	return nil
}
