package softroce

import "dpukv/verbs/softroce/wire"

import (
	"fmt"
	"net/netip"
	"os"
	"sync/atomic"

	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// handle is an address handle.
type handle struct {
	device *device
	number uint32
	path   path
}

// pathTo is the way to a peer, from a device's own port or from that of a flow label; nil: the device's.
func (d *device) pathTo(peer verbs.Endpoint, from *port) (path, error) {
	addr := peer.GID.Addr()
	if err := checkUnicast(addr); err != nil {
		return path{}, fmt.Errorf("reach %s: %w", peer, err)
	}
	local, s := d.local, d.socket
	if from != nil {
		local, s = netip.AddrPortFrom(d.local.Addr(), from.number), from.socket
	}
	to := netip.AddrPortFrom(addr, verbs.RoCEPort)
	p := path{name: rawName(to), flow: wire.NewFlow(local, to), socket: s, gso: new(atomic.Bool)}
	p.gso.Store(d.gso)
	return p, nil
}

// checkUnicast refuses an address that is nobody's, everybody's or a group's. Which ones are the
// broadcast addresses of networks only the routes tell: so a socket is connected, which sends nothing.
func checkUnicast(addr netip.Addr) error {
	if !addr.Is4() {
		return fmt.Errorf("its GID is no IPv4 address: %w", verbs.ErrNotSupported)
	}
	everybody := netip.AddrFrom4([4]byte{255, 255, 255, 255})
	broadcast, err := isBroadcast(addr)
	if err != nil {
		return fmt.Errorf("whether %s is the address of one machine cannot be told: %w", addr, err)
	}
	if addr.IsUnspecified() || addr.IsMulticast() || addr == everybody || broadcast {
		return fmt.Errorf("%s is not the address of one machine: want the unicast address of the peer's port", addr)
	}
	return nil
}

func isBroadcast(addr netip.Addr) (bool, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: verbs.RoCEPort, Addr: addr.As4()})
	return err == unix.EACCES, nil
}

func (p *pd) CreateAH(peer verbs.Endpoint) (verbs.AH, error) {
	to, err := p.device.pathTo(peer, nil)
	if err != nil {
		return nil, err
	}
	h := &handle{device: p.device, path: to}
	err = p.device.change(func() error {
		h.number = uint32(len(p.device.handles)) + 1 // 0 is that of a request that was given none
		for i, other := range p.device.handles {
			if other == nil {
				h.number = uint32(i) + 1
				p.device.handles[i] = h
				return nil
			}
		}
		p.device.handles = append(p.device.handles, h)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (h *handle) Handle() uint32 { return h.number }

func (h *handle) Close() error {
	return h.device.release(func() error {
		if i := h.number - 1; h.device.handles[i] == h {
			h.device.handles[i] = nil
		}
		return nil
	})
}

// handle finds an address handle by its number.
func (d *device) handle(number uint32) (*handle, error) {
	i := int(number) - 1
	if i < 0 || i >= len(d.handles) || d.handles[i] == nil {
		return nil, fmt.Errorf("address handle %d: there is none", number)
	}
	return d.handles[i], nil
}
