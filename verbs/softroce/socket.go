package softroce

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// socket is a UDP socket: that of a device, or one that only sends.
type socket struct {
	fd   int
	wake int // eventfd: readable once the device closes; -1 for one that only sends
	// gso and gro tell whether the kernel cuts trains into packets, and puts packets together.
	gso, gro bool
	// receiveBytes is the receive buffer that the kernel granted.
	receiveBytes int
}

// openSocket binds addr. The socket blocks on sending only.
func openSocket(addr netip.AddrPort, bufferBytes int) (*socket, error) {
	s, err := openSender(addr, bufferBytes)
	if err != nil {
		return nil, err
	}
	if s.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(fmt.Errorf("eventfd: %w", err), s.close())
	}
	if err := s.configureReceiving(bufferBytes); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// openSender binds addr to send from it. The socket is never connected: on an unconnected socket with path MTU discovery the
// kernel sets no IP ID but a segment's place in its train, which the ICRC needs known.
func openSender(addr netip.AddrPort, bufferBytes int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("UDP socket: %w", err)
	}
	s := &socket{fd: fd, wake: -1}
	if err := s.configureSending(bufferBytes); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: addr.Addr().As4()}); err != nil {
		return nil, errors.Join(bindError(addr, err), s.close())
	}
	return s, nil
}

func bindError(addr netip.AddrPort, err error) error {
	advice := "choose an address of this machine"
	switch {
	case errors.Is(err, unix.EADDRINUSE) && addr.Port() != verbs.RoCEPort:
		advice = "another program has this port, from which RoCE v2 sends the packets of one of the flow labels in use: ss -uapn tells which; " +
			"end it, or choose another address"
	case errors.Is(err, unix.EADDRINUSE):
		advice = "another software device or the kernel's soft-RoCE has it; " +
			"two devices on one machine use two addresses, such as 127.0.0.1 and 127.0.0.2"
	}
	return fmt.Errorf("bind UDP %s: %w; %s", addr, err, advice)
}

func (s *socket) configureSending(bufferBytes int) error {
	if err := unix.SetsockoptInt(s.fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO); err != nil {
		return fmt.Errorf("ask for path MTU discovery, without which IP IDs are unknown: %w", err)
	}
	s.setBuffer(unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, bufferBytes)
	s.setBuffer(unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, 0) // the least: nobody sends to it
	// A queue that stays full is to hold nobody for longer than patience says.
	limit := unix.NsecToTimeval(fullQueueMs * int64(time.Millisecond))
	if err := unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit); err != nil {
		return fmt.Errorf("limit the time of a send: %w", err)
	}
	// 0: no segmentation, unless a message asks for it. An old kernel refuses the option.
	s.gso = unix.SetsockoptInt(s.fd, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 0) == nil
	return nil
}

func (s *socket) configureReceiving(bufferBytes int) error {
	s.setBuffer(unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, bufferBytes)
	var err error
	// The kernel answers with twice what was asked for, to pay for its own overhead.
	if s.receiveBytes, err = unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err != nil {
		return fmt.Errorf("read the receive buffer's size: %w", err)
	}
	s.gro = unix.SetsockoptInt(s.fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1) == nil
	return nil
}

// setBuffer sets a buffer's size: beyond the machine's limit where that is allowed, up to it otherwise. What
// came out of it is read back.
func (s *socket) setBuffer(force, plain, n int) {
	if unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, force, n) != nil {
		_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, plain, n)
	}
}

// overflows is how many datagrams the kernel dropped because the receive buffer was full.
func (s *socket) overflows() uint64 {
	const drops = 8 // index of SK_MEMINFO_DROPS, the last
	var info [drops + 1]uint32
	if err := meminfo(s.fd, &info); err != nil {
		return 0
	}
	return uint64(info[drops])
}

// wait blocks until something is received, the device closes, or d is over.
func (s *socket) wait(d time.Duration) error {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.wake), Events: unix.POLLIN}}
	limit := unix.NsecToTimespec(int64(d))
	_, err := unix.Ppoll(fds, &limit, nil)
	if deviceError(err) {
		return fmt.Errorf("wait for packets: %w", err)
	}
	return nil
}

// waitWritable blocks until there is room to send.
func (s *socket) waitWritable() {
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}, fullQueueMs)
}

// wakeAll ends every wait, now and later.
func (s *socket) wakeAll() error {
	_, err := unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	return err
}

func (s *socket) close() error {
	err := unix.Close(s.fd)
	if s.wake >= 0 {
		err = errors.Join(err, unix.Close(s.wake))
	}
	return err
}
