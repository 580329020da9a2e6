// Package sockets is what sessions over TCP share: connections taken away from Go's poller, and a wait for many of them.
// A session makes its system calls itself: a read, a write and a wait a batch, no goroutine switch.
package sockets

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// TakeOver gives a non-blocking descriptor of its own to a connection, away from Go's poller.
func TakeOver(nc *net.TCPConn) (fd int, err error) {
	if err := nc.SetNoDelay(true); err != nil {
		return -1, err
	}
	raw, err := nc.SyscallConn()
	if err != nil {
		return -1, err
	}
	var dupErr error
	if err := raw.Control(func(s uintptr) { fd, dupErr = unix.FcntlInt(s, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return -1, err
	}
	return fd, dupErr // non-blocking, as Go made it
}

// Poller waits for descriptors, which the caller numbers. It belongs to one goroutine.
type Poller struct {
	epoll  int
	events []unix.EpollEvent
}

// NewPoller takes a descriptor, which Close gives back.
func NewPoller() (*Poller, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	return &Poller{epoll, make([]unix.EpollEvent, 64)}, nil
}

// Watch makes Wait tell when fd has something to read; if it is blocked, also when it takes more. The op is EPOLL_CTL_ADD the
// first time, EPOLL_CTL_MOD then; events have the number for Fd.
func (p *Poller) Watch(op, fd, number int, blocked bool) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(number)}
	if blocked {
		event.Events |= unix.EPOLLOUT
	}
	if err := unix.EpollCtl(p.epoll, op, fd, &event); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

// Wait is epoll_wait with a time-out in nanoseconds. epoll's own has milliseconds; ppoll on the epoll descriptor serves
// shorter ones on kernels of any age. The events live until the next call.
func (p *Poller) Wait(d time.Duration) ([]unix.EpollEvent, error) {
	if d > 0 && d < time.Millisecond {
		ts := unix.NsecToTimespec(int64(d))
		_, err := unix.Ppoll([]unix.PollFd{{Fd: int32(p.epoll), Events: unix.POLLIN}}, &ts, nil)
		if err != nil && err != unix.EINTR {
			return nil, fmt.Errorf("ppoll: %w", err)
		}
		d = 0
	}
	n, err := unix.EpollWait(p.epoll, p.events, int(d.Milliseconds()))
	if err == unix.EINTR {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("epoll_wait: %w", err)
	}
	return p.events[:n], nil
}

// Close may be called again.
func (p *Poller) Close() error {
	if p.epoll < 0 {
		return nil
	}
	err := unix.Close(p.epoll)
	p.epoll = -1
	return err
}
