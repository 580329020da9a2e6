package rr

import (
	"errors"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/rawsocket"

	"golang.org/x/sys/unix"
)

// linux is the system of a thread that measures.
type linux struct {
	poller *rawsocket.Poller
	only   [1]unix.EpollEvent // of the only connection
	single bool               // waits in recv
	flags  int
}

// newLinux makes the system for the connections of a thread.
func newLinux(conns []*conn, open bool) (*linux, error) {
	if len(conns) == 1 && !open {
		return &linux{single: true}, nil
	}
	poller, err := rawsocket.NewPoller()
	if err != nil {
		return nil, err
	}
	for _, c := range conns {
		if err := poller.Watch(unix.EPOLL_CTL_ADD, c.fd, c.seat, unix.EPOLLIN); err != nil {
			return nil, errors.Join(err, poller.Close())
		}
	}
	return &linux{poller: poller, flags: unix.MSG_DONTWAIT}, nil
}

func (k *linux) now() int64 { return cpu.NowNs() }

func (k *linux) send(c *conn) (int, unix.Errno) {
	return rawsocket.Send(c.fd, c.out[c.sent:], k.flags)
}

func (k *linux) receive(c *conn) (int, unix.Errno) {
	if !c.busy { // whatever comes is wrong
		var one [1]byte
		return rawsocket.Receive(c.fd, one[:], unix.MSG_DONTWAIT)
	}
	return rawsocket.Receive(c.fd, c.in[c.got:], k.flags)
}

func (k *linux) block(c *conn, blocked bool) error {
	if k.single {
		return nil
	}
	events := uint32(unix.EPOLLIN)
	if blocked {
		events |= unix.EPOLLOUT
	}
	return k.poller.Watch(unix.EPOLL_CTL_MOD, c.fd, c.seat, events)
}

// wait leaves the wait for a single connection to recv.
func (k *linux) wait(d time.Duration) ([]unix.EpollEvent, error) {
	if k.single {
		return k.only[:], nil
	}
	return k.poller.Wait(d)
}

func (k *linux) close() error {
	if k.poller == nil {
		return nil
	}
	return k.poller.Close()
}
