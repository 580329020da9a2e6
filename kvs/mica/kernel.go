package mica

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"dpukv/internal/cpu"

	"golang.org/x/sys/unix"
)

// kernel is what one worker asks of the system. The simulation has another, whose calls fail.
type kernel interface {
	// accept takes a connection that waits, without blocking.
	accept() (fd int, err error)
	// prepare sets the options of a connection.
	prepare(fd int) error
	read(fd int, b []byte) (int, error)
	write(fd int, b []byte) (int, error)
	// finish tells the other side that nothing more comes.
	finish(fd int) error
	close(fd int) error
	// listen sets whether wait tells of connections that wait.
	listen(on bool) error
	// add and change set what wait tells of a connection.
	add(fd int, m mark, events uint32) error
	change(fd int, m mark, events uint32) error
	// wait stores what there is to do. It returns 0 after so many milliseconds; -1: never.
	wait(events []unix.EpollEvent, ms int) (int, error)
	// reserve opens a descriptor that serves nothing but to be given up.
	reserve() (fd int, err error)
	now() int64
	// ring makes wait return, from any thread. hush takes note of it.
	ring() error
	hush() error
	// end closes all that the kernel itself had opened.
	end() error
}

// mark is what comes back with an event: a connection's slot, and which of those that have had it.
type mark struct{ slot, generation int32 }

// The slots of what is not a connection.
const (
	listenerSlot = -1
	bellSlot     = -2
)

// system is the kernel.
type system struct {
	listener, epoll, bell int
}

// openSystem listens, and returns which address it got.
func openSystem(addr string) (*system, *net.TCPAddr, error) {
	listener, got, err := listenOn(addr)
	if err != nil {
		return nil, nil, err
	}
	k := &system{listener: listener, epoll: -1, bell: -1}
	if k.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("epoll_create1", err), k.end())
	}
	if k.bell, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return nil, nil, errors.Join(os.NewSyscallError("eventfd", err), k.end())
	}
	for slot, fd := range map[int32]int{listenerSlot: k.listener, bellSlot: k.bell} {
		if err := k.add(fd, mark{slot: slot}, unix.EPOLLIN); err != nil {
			return nil, nil, errors.Join(err, k.end())
		}
	}
	return k, got, nil
}

// listenOn has Go resolve the address and listen, and takes the socket away from Go's poller.
func listenOn(addr string) (fd int, got *net.TCPAddr, err error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return -1, nil, err
	}
	defer l.Close()
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return -1, nil, err
	}
	var dupErr error
	if err := raw.Control(func(s uintptr) {
		fd, dupErr = unix.FcntlInt(s, unix.F_DUPFD_CLOEXEC, 0) // non-blocking, as Go made it
	}); err != nil {
		return -1, nil, err
	}
	if dupErr != nil {
		return -1, nil, os.NewSyscallError("fcntl", dupErr)
	}
	return fd, l.Addr().(*net.TCPAddr), nil
}

func (k *system) accept() (int, error) {
	fd, _, err := unix.Accept4(k.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	return fd, err
}

// keepAlive is after how many seconds of silence a connection is asked whether its client is still
// there, how many it has to answer, and how often it is asked.
const keepAlive, keepAliveEvery, keepAliveCount = 60, 15, 4

func (k *system) prepare(fd int) error {
	return errors.Join(
		option(fd, "TCP_NODELAY", unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		option(fd, "SO_KEEPALIVE", unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1),
		option(fd, "TCP_KEEPIDLE", unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAlive),
		option(fd, "TCP_KEEPINTVL", unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAliveEvery),
		option(fd, "TCP_KEEPCNT", unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepAliveCount))
}

func option(fd int, name string, level, opt, value int) error {
	if err := unix.SetsockoptInt(fd, level, opt, value); err != nil {
		return fmt.Errorf("setsockopt %s: %w", name, err)
	}
	return nil
}

func (k *system) read(fd int, b []byte) (int, error)  { return unix.Read(fd, b) }
func (k *system) write(fd int, b []byte) (int, error) { return unix.Write(fd, b) }
func (k *system) finish(fd int) error                 { return unix.Shutdown(fd, unix.SHUT_WR) }
func (k *system) close(fd int) error                  { return unix.Close(fd) }

func (k *system) listen(on bool) error {
	events := uint32(0)
	if on {
		events = unix.EPOLLIN
	}
	return k.change(k.listener, mark{slot: listenerSlot}, events)
}

func (k *system) add(fd int, m mark, events uint32) error {
	return k.control(unix.EPOLL_CTL_ADD, fd, m, events)
}

func (k *system) change(fd int, m mark, events uint32) error {
	return k.control(unix.EPOLL_CTL_MOD, fd, m, events)
}

func (k *system) control(op, fd int, m mark, events uint32) error {
	e := unix.EpollEvent{Events: events, Fd: m.slot, Pad: m.generation}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(k.epoll, op, fd, &e))
}

func (k *system) wait(events []unix.EpollEvent, ms int) (int, error) {
	return unix.EpollWait(k.epoll, events, ms)
}

func (k *system) reserve() (int, error) {
	return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

func (k *system) now() int64 { return cpu.NowNs() }

func (k *system) ring() error {
	_, err := unix.Write(k.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // an eventfd adds it, in either order of bytes
	if err == unix.EAGAIN {
		return nil // it rings already
	}
	return os.NewSyscallError("write to eventfd", err)
}

func (k *system) hush() error {
	var b [8]byte
	_, err := unix.Read(k.bell, b[:])
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	return os.NewSyscallError("read from eventfd", err)
}

func (k *system) end() error {
	var errs []error
	for _, fd := range []int{k.listener, k.epoll, k.bell} {
		if fd >= 0 {
			errs = append(errs, unix.Close(fd))
		}
	}
	return errors.Join(errs...)
}

// mailbox is how others reach a worker. Once it is shut nothing touches the worker's descriptors,
// which may be somebody else's by then.
type mailbox struct {
	mu     sync.Mutex
	shut   bool
	kernel kernel
	letter letter
}

// letter is what a worker is asked to do.
type letter struct {
	stop   bool
	report uint64 // the number of a gathering that wants its counters; 0: none
	told   *told  // what the last gathering found; nil: no news
}

// post changes the letter that waits and rings. It returns false where nobody would read it.
func (m *mailbox) post(write func(*letter)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shut {
		return false
	}
	write(&m.letter)
	return m.kernel.ring() == nil
}

func (m *mailbox) open() letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.letter
	m.letter = letter{}
	return l
}

// close shuts the mailbox and ends the kernel.
func (m *mailbox) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shut = true
	return m.kernel.end()
}
