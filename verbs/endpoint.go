package verbs

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
)

// GID is a port's global identifier. With RoCE v2 it is the port's IPv6, or IPv4-mapped, address.
type GID [16]byte

// GIDFromAddr returns the GID of an IP address.
func GIDFromAddr(a netip.Addr) GID { return GID(a.As16()) }

// Addr returns the IP address that a RoCE v2 GID stands for.
func (g GID) Addr() netip.Addr { return netip.AddrFrom16(g).Unmap() }

// Unicast reports whether the GID can be the address of one port. It does not detect the broadcast
// addresses of networks, which only the routes show.
func (g GID) Unicast() bool {
	a := g.Addr()
	everybody := netip.AddrFrom4([4]byte{255, 255, 255, 255})
	return !a.IsUnspecified() && !a.IsMulticast() && a != everybody
}

func (g GID) String() string { return netip.AddrFrom16(g).StringExpanded() }

// MarshalText encodes the GID as 32 hex digits.
func (g GID) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(g[:])), nil }

// UnmarshalText decodes the output of MarshalText.
func (g *GID) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(string(text))
	if err != nil || len(b) != len(g) {
		return fmt.Errorf("GID: found %q, allowed: 32 hex digits", text)
	}
	copy(g[:], b)
	return nil
}

// Endpoint describes one side of a connection to the other.
type Endpoint struct {
	Device    DeviceInfo `json:"device"`
	Type      QPType     `json:"type"`
	LinkLayer LinkLayer  `json:"link_layer"`
	LID       uint16     `json:"lid"`
	GIDIndex  int        `json:"gid_index"`
	GID       GID        `json:"gid"`
	MTU       int        `json:"mtu"`
	QPN       uint32     `json:"qpn"`
	PSN       uint32     `json:"psn"`
	QKey      uint32     `json:"qkey"`
	// Handle tells a peer on this machine how to reach the QP (shm only).
	Handle string `json:"handle,omitempty"`
}

func (e Endpoint) String() string {
	return fmt.Sprintf("%s (%s) QP %#x %s, %s, GID %d %s, LID %d, MTU %d",
		Printable(e.Device.Name), Printable(e.Device.Provider), e.QPN, e.Type,
		Printable(string(e.LinkLayer)), e.GIDIndex, e.GID, e.LID, e.MTU)
}

// Check returns the reason why two endpoints cannot communicate. The error names both.
func Check(local, peer Endpoint) error {
	var why []error
	differ := func(what string, a, b any) {
		if a != b {
			why = append(why, fmt.Errorf("%s: %v here, %v there", what, a, b))
		}
	}
	differ("transport service", local.Type, peer.Type)
	differ("link layer", Printable(string(local.LinkLayer)), Printable(string(peer.LinkLayer)))
	if local.MTU != peer.MTU {
		why = append(why, fmt.Errorf("path MTU: %d here, %d there: name the smaller at both "+
			"(--mtu %d, in a testbed rdma: {mtu: %[3]d}), or make the MTUs of the interfaces equal",
			local.MTU, peer.MTU, min(local.MTU, peer.MTU)))
	}
	differ("IPv4 GID", local.GID.Addr().Is4(), peer.GID.Addr().Is4())
	if why == nil {
		return nil
	}
	return fmt.Errorf("%s cannot talk to %s: %w", local, peer, errors.Join(why...))
}
