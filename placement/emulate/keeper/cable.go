package keeper

import (
	"fmt"
	"os"

	"github.com/vishvananda/netlink"
)

// bridge is the name of the bridge in a namespace that has one.
const bridge = "br0"

// quietIPv6 is the kernel's IN6_ADDR_GEN_MODE_NONE: an interface without an IPv6 address sends
// nothing by itself. So counters count the stores' packets.
const quietIPv6 = 1

func (s *space) addBridge(mtu int) error {
	silent := false
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = bridge, mtu
	b := &netlink.Bridge{LinkAttrs: attrs, MulticastSnooping: &silent}
	if err := s.links.LinkAdd(b); err != nil {
		return fmt.Errorf("make the bridge of %s: %w (does the kernel have the module bridge?)",
			s.name, err)
	}
	return s.raise(bridge)
}

// raise brings an interface up, without IPv6.
func (s *space) raise(name string) error {
	link, err := s.links.LinkByName(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat("/proc/sys/net/ipv6"); err == nil {
		if err := s.links.LinkSetIP6AddrGenMode(link, quietIPv6); err != nil {
			return fmt.Errorf("keep IPv6 off %s/%s: %w", s.name, name, err)
		}
	}
	if err := s.links.LinkSetUp(link); err != nil {
		return fmt.Errorf("take %s/%s up: %w", s.name, name, err)
	}
	return nil
}

// farIndex is above all interface indices of a lab. If the two interfaces of a cable have the same
// index, the kernel takes them for one. It then reports the new link a second or two late.
const farIndex = 1000

// connect makes the n-th cable between two namespaces.
func connect(n int, a, b *space, l *Link, p *Plan) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Index, attrs.Name, attrs.MTU = farIndex+n, l.A.Name, p.MTU
	pair := netlink.NewVeth(attrs)
	pair.PeerName, pair.PeerMTU = l.B.Name, uint32(p.MTU)
	pair.PeerNamespace = netlink.NsFd(int(b.file.Fd()))
	if err := a.links.LinkAdd(pair); err != nil {
		return fmt.Errorf("join %s/%s and %s/%s: %w (does the kernel have the module veth?)",
			a.name, l.A.Name, b.name, l.B.Name, err)
	}
	if err := a.plug(&l.A, l.RateBps, p.Offloads); err != nil {
		return err
	}
	return b.plug(&l.B, l.RateBps, p.Offloads)
}

// plug sets up one end of a cable.
func (s *space) plug(e *End, rateBps uint64, offloads bool) error {
	if err := setOffloads(s.socket, e.Name, offloads); err != nil {
		return fmt.Errorf("%s/%s: %w", s.name, e.Name, err)
	}
	link, err := s.links.LinkByName(e.Name)
	if err != nil {
		return err
	}
	if e.Bridged {
		master, err := s.links.LinkByName(bridge)
		if err == nil {
			err = s.links.LinkSetMaster(link, master)
		}
		if err != nil {
			return fmt.Errorf("put %s/%s into the bridge: %w", s.name, e.Name, err)
		}
	}
	if e.Address != "" {
		addr, err := netlink.ParseAddr(e.Address)
		if err == nil {
			err = s.links.AddrAdd(link, addr)
		}
		if err != nil {
			return fmt.Errorf("give %s/%s the address %s: %w", s.name, e.Name, e.Address, err)
		}
	}
	if err := s.limit(link, rateBps); err != nil {
		return fmt.Errorf("limit the rate of %s/%s: %w", s.name, e.Name, err)
	}
	return s.raise(e.Name)
}

// limit caps the sending rate of an interface. The bucket holds the bytes of a few of the kernel's
// ticks, and at least two of the largest packets.
func (s *space) limit(link netlink.Link, bps uint64) error {
	if bps == 0 {
		return nil
	}
	const ticks, largest, queued = 50, 64 << 10, 1 << 20 // 50: a fiftieth of a second's bytes
	bytes := bps / 8
	burst := max(bytes/ticks, 2*largest)
	return s.links.QdiscAdd(&netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{
			LinkIndex: link.Attrs().Index,
			Handle:    netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT,
		},
		Rate:   bytes,
		Buffer: netlink.Xmittime(bytes, uint32(burst)),
		Limit:  uint32(burst + queued),
	})
}

func (s *space) setLink(name string, up bool) error {
	link, err := s.links.LinkByName(name)
	if err != nil {
		return err
	}
	if up {
		return s.links.LinkSetUp(link)
	}
	return s.links.LinkSetDown(link)
}

func (s *space) counters(name string) (Counters, error) {
	link, err := s.links.LinkByName(name)
	if err != nil {
		return Counters{}, err
	}
	c := link.Attrs().Statistics
	if c == nil {
		return Counters{}, fmt.Errorf("the kernel tells no counters of %s/%s", s.name, name)
	}
	return Counters{c.RxPackets, c.RxBytes, c.RxDropped, c.TxPackets, c.TxBytes, c.TxDropped}, nil
}
