package testbedcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"dpukv/placement/cardreport"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/submode"
	"dpukv/placement/testbed"
)

// CheckCards looks on every node at what decides whether its card can be measured. It changes
// nothing. The error is nil only if nothing is refused.
func CheckCards(ctx context.Context, w io.Writer, bed testbed.Testbed, version string) error {
	c, err := newChecker(version, true)
	if err != nil {
		return err
	}
	return c.run(ctx, &bed, func(t *table) error { return t.cards(w) })
}

// Reports returns what every node tells of its card. A node that cannot be used has no report, and
// is part of the error.
func Reports(
	ctx context.Context, bed testbed.Testbed, version string,
) (reports []*cardreport.Report, err error) {
	c, err := newChecker(version, true)
	if err != nil {
		return nil, err
	}
	err = c.run(ctx, &bed, func(t *table) error {
		var errs []error
		for _, v := range t.visits {
			if v.err != nil {
				errs = append(errs, v.err)
				continue
			}
			v.found.Card.Node = v.node.Name
			reports = append(reports, v.found.Card)
		}
		return errors.Join(errs...)
	})
	return reports, err
}

// cards writes the findings of every node.
func (t *table) cards(w io.Writer) error {
	var b strings.Builder
	refused := 0
	for _, v := range t.visits {
		fmt.Fprintf(&b, "node %s (%s)\n", v.node.Name, v.node.Title())
		if v.err != nil {
			fmt.Fprintf(&b, "  %v\n", v.err)
			refused++
			continue
		}
		findings := append(v.facts.Examine(role(v.node)), v.place()...)
		findings = append(findings, t.between(v)...)
		findings = append(findings, v.found.Card.NotSeen()...)
		for _, f := range findings {
			if f.Verdict == cardreport.Refused {
				refused++
			}
			writeFinding(&b, &f)
		}
	}
	_, err := io.WriteString(w, b.String())
	if err == nil && refused > 0 {
		err = fmt.Errorf("%d refused: mend them with the commands above (\"$\")", refused)
	}
	return err
}

func writeFinding(b *strings.Builder, f *cardreport.Finding) {
	fmt.Fprintf(b, "  %-8s %-22s %s\n", f.Verdict, f.Check, f.Found)
	if f.Verdict != cardreport.Refused && f.Verdict != cardreport.Unknown {
		return
	}
	for _, command := range f.Mend {
		fmt.Fprintf(b, "%11s$ %s\n", "", command)
	}
}

// factsOf reads the facts. Drivers and speeds are those that the kernel told the agent: sysfs may
// show another network namespace.
func factsOf(found *node.Inspection) *cardreport.Facts {
	f := found.Card.Parse()
	for i := range f.Links {
		l := &f.Links[i]
		l.Driver, l.SpeedMbps = "", 0
		for _, it := range found.Report.Interfaces {
			if it.Name == l.Name {
				l.Driver, l.SpeedMbps = it.Driver, it.SpeedMbps
			}
		}
	}
	return f
}

// place refuses an address that is not on the card.
func (v *visit) place() []cardreport.Finding {
	if v.misplaced == nil {
		return nil
	}
	f := cardreport.Finding{
		Check: "way of the load", Verdict: cardreport.Refused, Found: v.misplaced.Error(),
	}
	if m := (*machines.Misplaced)(nil); errors.As(v.misplaced, &m) {
		f.Found, f.Mend = m.Found, m.Mend
	}
	return []cardreport.Finding{f}
}

// role returns what the testbed wants of a node.
func role(n *testbed.Node) *cardreport.Role {
	return &cardreport.Role{
		DPU:      n.Kind == testbed.KindDPU,
		Emulated: n.OnThisMachine() || n.Target() != submode.BlueField,
		Address:  number(n.Address), RDMA: n.RDMA.Device,
		PCI:  cmp.Or(n.Datapath.PCI, "0000:03:00.0"),
		Wire: cmp.Or(n.Datapath.Wire, "p0"), Host: cmp.Or(n.Datapath.Host, "pf0hpf"),
	}
}

// number returns an address without a name's resolution: "" for a name.
func number(address string) string {
	if a, err := netip.ParseAddr(address); err == nil {
		return a.Unmap().WithZone("").String()
	}
	return address
}

// The bytes of an IPv4 and an ICMP header, and of the largest packet.
const (
	headers   = 20 + 8
	maxPacket = 65535
)

// others returns what a node is to reach. The check of cards adds datagrams, and pings of the full
// size.
func (v *visit) others(visits []*visit, addrs []string) *node.Reach {
	m := &node.Reach{Addrs: addrs}
	if v.found.Card == nil {
		return m
	}
	for _, other := range visits {
		if other == v || other.found == nil {
			continue
		}
		if other.found.UDPAddr != "" {
			m.UDP = append(m.UDP, other.found.UDPAddr)
		}
		if mtu := v.mtu(); mtu > headers {
			m.Pings = append(m.Pings, node.Ping{
				From: number(v.node.Address), To: other.node.Address, Bytes: mtu - headers,
			})
		}
	}
	return m
}

// mtu returns the MTU of the interface with the node's address; 0: unknown.
func (v *visit) mtu() int {
	if v.facts == nil {
		return 0
	}
	if l := v.facts.WithAddress(number(v.node.Address)); l != nil {
		return min(l.MTU, maxPacket)
	}
	return 0
}

// between returns the findings of the way from a node to each other.
func (t *table) between(v *visit) (list []cardreport.Finding) {
	add := func(check, found string, why *string, mend ...string) {
		f := cardreport.Finding{Check: check, Verdict: cardreport.OK, Found: found, Mend: mend}
		switch {
		case why == nil:
			f.Verdict = cardreport.Unknown
		case *why != "" && mend == nil:
			f.Verdict, f.Found = cardreport.Fact, found+": "+*why
		case *why != "":
			f.Verdict, f.Found = cardreport.Refused, found+": "+*why
		}
		list = append(list, f)
	}
	for _, other := range t.visits {
		if other == v || other.err != nil {
			continue
		}
		to, host := "to "+other.node.Name, other.node.Address
		add("TCP "+to, cmp.Or(other.found.Addr, other.found.Error),
			value(v.reached.Errors, other.found.Addr),
			"ip route get "+host, "nft list ruleset # there: a firewall")
		f := "datagram to " + cmp.Or(other.found.UDPAddr, host+": "+other.found.UDPError)
		if strings.HasPrefix(other.node.RDMA.Device, "softroce") {
			add("UDP 4791 "+to, f, value(v.reached.UDP, other.found.UDPAddr),
				"devlink dev param show # there: with enable_roce true, the NIC takes this port",
				"nft list ruleset # there: a firewall")
		} else {
			add("UDP 4791 "+to, f+" (with RoCE on, the NIC there takes it)",
				value(v.reached.UDP, other.found.UDPAddr))
		}
		add("full size "+to, fmt.Sprintf("ping of %d bytes without cutting", v.mtu()),
			value(v.reached.Pings, host), fmt.Sprintf("ping -M do -s %d %s", v.mtu()-headers, host),
			"ip link set dev PORT mtu N # the same for all ports of the way")
	}
	return list
}

// value returns a map's value; nil: it has none.
func value(of map[string]string, key string) *string {
	if v, ok := of[key]; ok && key != "" {
		return &v
	}
	return nil
}
