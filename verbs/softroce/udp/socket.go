package udp

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
	"unsafe"

	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// Socket is a UDP socket: a device's, or one that only sends.
type Socket struct {
	fd   int
	wake int // eventfd: readable once the device closes; -1 for one that only sends
	// GSO reports whether the kernel cuts trains into packets, GRO whether it coalesces packets.
	GSO, GRO bool
	// ReceiveBytes is the receive buffer that the kernel granted.
	ReceiveBytes int
}

// OpenSocket binds addr, to receive there and to send from it.
func OpenSocket(addr netip.AddrPort, bufferBytes int) (*Socket, error) {
	s, err := OpenSender(addr, bufferBytes)
	if err != nil {
		return nil, err
	}
	if s.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(fmt.Errorf("eventfd: %w", err), s.Close())
	}
	if err := s.configureReceiving(bufferBytes); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenSender binds addr to send from it. It never connects the socket. On an unconnected socket
// with path MTU discovery the kernel sets the IP ID to a segment's place in its train. So the
// sender knows the ID, which a RoCE packet's ICRC covers.
func OpenSender(addr netip.AddrPort, bufferBytes int) (*Socket, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("UDP socket: %w", err)
	}
	s := &Socket{fd: fd, wake: -1}
	if err := s.configureSending(bufferBytes); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := unix.Bind(fd,
		&unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}); err != nil {
		return nil, errors.Join(bindError(addr, err), s.Close())
	}
	return s, nil
}

func bindError(addr netip.AddrPort, err error) error {
	advice := "choose an address of this machine"
	switch {
	case errors.Is(err, unix.EADDRINUSE) && addr.Port() != verbs.RoCEPort:
		advice = "another program has this port, from which RoCE v2 sends the packets of a flow " +
			"label in use: find it with ss -uapn and end it, or choose another address"
	case errors.Is(err, unix.EADDRINUSE):
		advice = "another software device, or the soft-RoCE of the kernel, has it: two devices " +
			"on one machine need two addresses, such as 127.0.0.1 and 127.0.0.2"
	}
	return fmt.Errorf("bind UDP %s: %w; %s", addr, err, advice)
}

func (s *Socket) configureSending(bufferBytes int) error {
	if err := unix.SetsockoptInt(s.fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER,
		unix.IP_PMTUDISC_DO); err != nil {
		return fmt.Errorf("ask for path MTU discovery, without which IP IDs are unknown: %w", err)
	}
	s.setBuffer(unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, bufferBytes)
	s.setBuffer(unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, 0) // the minimum: nobody sends to it
	// 0: no segmentation, unless a message asks for it. An old kernel refuses the option.
	s.GSO = unix.SetsockoptInt(s.fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 0) == nil
	return nil
}

func (s *Socket) configureReceiving(bufferBytes int) error {
	s.setBuffer(unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, bufferBytes)
	var err error
	// The kernel returns twice the requested size, to cover its own overhead.
	if s.ReceiveBytes, err = unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err != nil {
		return fmt.Errorf("read the receive buffer's size: %w", err)
	}
	s.GRO = unix.SetsockoptInt(s.fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1) == nil
	return nil
}

// DontCoalesce makes the kernel leave packets apart.
func (s *Socket) DontCoalesce() {
	_ = unix.SetsockoptInt(s.fd, unix.IPPROTO_UDP, unix.UDP_GRO, 0)
	s.GRO = false
}

// setBuffer sets a buffer's size. It exceeds the machine's limit if that is allowed, and goes up to
// the limit otherwise. The caller reads the result back.
func (s *Socket) setBuffer(force, plain, n int) {
	if unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, force, n) != nil {
		_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, plain, n)
	}
}

// Overflows returns the number of datagrams that the kernel dropped because the receive buffer was
// full.
func (s *Socket) Overflows() uint64 {
	const drops = 8 // index of SK_MEMINFO_DROPS, the last
	var info [drops + 1]uint32
	n := uint32(unsafe.Sizeof(info))
	// x/sys/unix has the name SO_MEMINFO but no call.
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(s.fd), unix.SOL_SOCKET,
		unix.SO_MEMINFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return 0
	}
	return uint64(info[drops])
}

// Wait blocks until a packet arrives, the device closes, or d is over.
func (s *Socket) Wait(d time.Duration) error {
	fds := []unix.PollFd{
		{Fd: int32(s.fd), Events: unix.POLLIN},
		{Fd: int32(s.wake), Events: unix.POLLIN},
	}
	limit := unix.NsecToTimespec(int64(d))
	_, err := unix.Ppoll(fds, &limit, nil)
	if Fatal(err) {
		return fmt.Errorf("wait for packets: %w", err)
	}
	return nil
}

// WaitWritable blocks until there is room to send, for at most limitMs milliseconds.
func (s *Socket) WaitWritable(limitMs int) {
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}, limitMs)
}

// WakeAll ends every wait, now and later.
func (s *Socket) WakeAll() error {
	_, err := unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	return err
}

// Close closes the socket. No call may be in progress.
func (s *Socket) Close() error {
	err := unix.Close(s.fd)
	if s.wake >= 0 {
		err = errors.Join(err, unix.Close(s.wake))
	}
	return err
}

// Fatal reports whether an error concerns the socket itself, which then carries nothing more. All
// other errors concern one destination, or one moment.
func Fatal(err error) bool {
	switch err {
	case unix.EBADF, unix.ENOTSOCK, unix.EFAULT, unix.EOPNOTSUPP, unix.ENOSYS, unix.EPIPE:
		return true
	}
	return false
}
