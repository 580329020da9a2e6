package softroce

import "dpukv/verbs/softroce/wire"

import (
	"fmt"
	"net"
	"net/netip"
)

const (
	minMTU = 256
	// maxOverhead is the most bytes that a packet of any NIC adds to the path MTU within an IP
	// packet. The kernel's soft-RoCE reserves the same, so both find the same MTU on the same
	// network.
	maxOverhead = 80
)

// checkMTU refuses a number that is not a path MTU.
func checkMTU(mtu int) error {
	for m := minMTU; m <= wire.MaxMTU; m *= 2 {
		if m == mtu {
			return nil
		}
	}
	return fmt.Errorf("path MTU: found %d, allowed: 256, 512, 1024, 2048, 4096", mtu)
}

// fitMTU returns the largest path MTU whose packets fit an IP MTU.
func fitMTU(ipMTU int) (int, error) {
	for m := wire.MaxMTU; m >= minMTU; m /= 2 {
		if m+maxOverhead <= ipMTU {
			return m, nil
		}
	}
	return 0, fmt.Errorf("IP MTU: found %d, allowed: %d or more, for the smallest packets of "+
		"RoCE", ipMTU,
		minMTU+maxOverhead)
}

// pathMTU returns the path MTU of the interface with addr.
func pathMTU(addr netip.Addr) (int, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return 0, fmt.Errorf("list the interfaces: %w", err)
	}
	for _, i := range interfaces {
		if holds(i, addr) {
			mtu, err := fitMTU(i.MTU)
			if err != nil {
				return 0, fmt.Errorf("interface %s: %w", i.Name, err)
			}
			return mtu, nil
		}
	}
	return 0, fmt.Errorf("address: found %s, which no interface has; choose one of this "+
		"machine", addr)
}

// holds reports whether the interface answers for addr. A loopback interface does so for its whole
// network.
func holds(i net.Interface, addr netip.Addr) bool {
	prefixes, err := i.Addrs()
	if err != nil {
		return false
	}
	for _, p := range prefixes {
		prefix, err := netip.ParsePrefix(p.String())
		if err != nil {
			continue
		}
		if prefix.Addr() == addr || i.Flags&net.FlagLoopback != 0 && prefix.Contains(addr) {
			return true
		}
	}
	return false
}
