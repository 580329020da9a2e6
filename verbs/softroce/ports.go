package softroce

import "dpukv/verbs/softroce/udp"

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// ports are the sockets that QPs with a flow label send from: one per UDP source port, shared by
// its QPs. The peers send to the device's own port.
type ports struct {
	sync.Mutex
	byNumber map[uint16]*port
}

type port struct {
	*udp.Socket
	number uint16
	users  int
}

// portTimeout is how long to wait for a port that another program has. Most such ports are in use
// only for a moment: the kernel chooses ephemeral ports from the same range.
const portTimeout = 2 * time.Second

// openPort lends the socket of a flow label.
func (d *device) openPort(flowLabel uint32) (*port, error) {
	number := verbs.UDPSourcePort(flowLabel)
	d.ports.Lock()
	defer d.ports.Unlock()
	p := d.ports.byNumber[number]
	if p == nil {
		s, err := d.bindPort(netip.AddrPortFrom(d.opts.Addr, number))
		if err != nil {
			return nil, err
		}
		p = &port{Socket: s, number: number}
		if d.ports.byNumber == nil {
			d.ports.byNumber = map[uint16]*port{}
		}
		d.ports.byNumber[number] = p
	}
	p.users++
	return p, nil
}

func (d *device) bindPort(addr netip.AddrPort) (s *udp.Socket, err error) {
	for end := time.Now().Add(portTimeout); ; time.Sleep(portTimeout / 100) {
		s, err = udp.OpenSender(addr, d.opts.SocketBuffers)
		if !errors.Is(err, unix.EADDRINUSE) || time.Now().After(end) {
			return s, err
		}
	}
}

// closePort takes a socket back; nil stands for none.
func (d *device) closePort(p *port) error {
	if p == nil {
		return nil
	}
	d.ports.Lock()
	defer d.ports.Unlock()
	if d.ports.byNumber[p.number] != p { // the device has closed it
		return nil
	}
	if p.users--; p.users > 0 {
		return nil
	}
	delete(d.ports.byNumber, p.number)
	return p.Close()
}

// closePorts closes all sockets, whether in use or not.
func (d *device) closePorts() (err error) {
	d.ports.Lock()
	defer d.ports.Unlock()
	for _, p := range d.ports.byNumber {
		err = errors.Join(err, p.Close())
	}
	d.ports.byNumber = nil
	return err
}
