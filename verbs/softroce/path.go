package softroce

import (
	"fmt"
	"net/netip"
	"os"
	"sync/atomic"

	"dpukv/verbs"
	"dpukv/verbs/softroce/udp"
	"dpukv/verbs/softroce/wire"

	"golang.org/x/sys/unix"
)

// path is the route to a peer.
type path struct {
	name   unix.RawSockaddrInet4
	flow   wire.Flow
	socket *udp.Socket // sends on this route
	// gso reports whether the kernel cuts trains on this route. It is a pointer, as paths are
	// copied.
	gso *atomic.Bool
}

// pathTo returns the route to a peer, from a flow label's port or, if that is nil, from the
// device's own.
func (d *device) pathTo(peer verbs.Endpoint, from *port) (path, error) {
	addr := peer.GID.Addr()
	if err := checkUnicast(peer.GID); err != nil {
		return path{}, fmt.Errorf("reach %s: %w", peer, err)
	}
	local, s := d.local, d.socket
	if from != nil {
		local, s = netip.AddrPortFrom(d.local.Addr(), from.number), from.Socket
	}
	to := netip.AddrPortFrom(addr, verbs.RoCEPort)
	p := path{
		name: udp.Sockaddr(to), flow: wire.NewFlow(local, to), socket: s,
		gso: new(atomic.Bool),
	}
	p.gso.Store(d.gso)
	return p, nil
}

// checkUnicast refuses unspecified, broadcast and multicast addresses. A connected socket, which
// sends nothing, shows which addresses are the broadcast addresses of networks.
func checkUnicast(gid verbs.GID) error {
	addr := gid.Addr()
	if !addr.Is4() {
		return fmt.Errorf("GID: found no IPv4 address: %w", verbs.ErrNotSupported)
	}
	broadcast, err := isBroadcast(addr)
	if err != nil {
		return fmt.Errorf("find out whether %s is the address of one machine: %w", addr, err)
	}
	if !gid.Unicast() || broadcast {
		return fmt.Errorf("address: found %s, allowed: the unicast address of the peer's "+
			"port", addr)
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
