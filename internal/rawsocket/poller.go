package rawsocket

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Poller waits for descriptors that the caller numbers. It belongs to one goroutine.
type Poller struct {
	epoll  int
	events []unix.EpollEvent
	itself [1]unix.PollFd
}

// NewPoller opens a descriptor, which Close closes.
func NewPoller() (*Poller, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	return &Poller{epoll: epoll, events: make([]unix.EpollEvent, 64)}, nil
}

// Watch makes Wait report events of a descriptor: EPOLLIN, EPOLLOUT or both. The op is
// EPOLL_CTL_ADD the first time, EPOLL_CTL_MOD later. Events have the number in the field Fd.
func (p *Poller) Watch(op, fd, number int, events uint32) error {
	event := unix.EpollEvent{Events: events, Fd: int32(number)}
	if err := unix.EpollCtl(p.epoll, op, fd, &event); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

// Wait is epoll_wait with a time-out in nanoseconds. epoll's own time-out has milliseconds; ppoll
// on the epoll descriptor serves shorter ones on kernels of any age. The events are valid until the
// next call.
//
// The system calls are raw, so Go's scheduler does not learn that the thread waits. If it did, its
// monitor would wake up every 20 µs to see whether the processor should go to another thread. That
// costs up to a third of a client's CPU time per operation. Another goroutine that needs the
// processor gets it after 10 ms: the scheduler's signal ends the wait.
func (p *Poller) Wait(d time.Duration) ([]unix.EpollEvent, error) {
	if d > 0 && d < time.Millisecond {
		ts := unix.NsecToTimespec(int64(d))
		p.itself[0] = unix.PollFd{Fd: int32(p.epoll), Events: unix.POLLIN}
		_, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p.itself[0])), 1,
			uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
		if errno != 0 && errno != unix.EINTR {
			return nil, fmt.Errorf("ppoll: %w", errno)
		}
		d = 0
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.epoll),
		uintptr(unsafe.Pointer(&p.events[0])),
		uintptr(len(p.events)), uintptr(d.Milliseconds()), 0, 0)
	if errno == unix.EINTR {
		return nil, nil
	}
	if errno != 0 {
		return nil, fmt.Errorf("epoll_wait: %w", errno)
	}
	return p.events[:n], nil
}

// Close may be called repeatedly.
func (p *Poller) Close() error {
	if p.epoll < 0 {
		return nil
	}
	err := unix.Close(p.epoll)
	p.epoll = -1
	return err
}
