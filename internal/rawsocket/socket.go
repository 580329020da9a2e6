package rawsocket

import (
	"errors"
	"net"
	"syscall"
	"unsafe"

	"dpukv/internal/packets"

	"golang.org/x/sys/unix"
)

// TakeOver duplicates a connection's non-blocking descriptor, away from Go's poller. Small writes
// leave at once (TCP_NODELAY). The caller closes both.
func TakeOver(nc net.Conn) (fd int, err error) {
	if tcp, ok := nc.(*net.TCPConn); ok {
		if err := tcp.SetNoDelay(true); err != nil {
			return -1, err
		}
	}
	of, ok := nc.(syscall.Conn)
	if !ok {
		return -1, errors.New("the connection has no descriptor")
	}
	raw, err := of.SyscallConn()
	if err != nil {
		return -1, err
	}
	var dupErr error
	if err := raw.Control(func(s uintptr) {
		fd, dupErr = unix.FcntlInt(s, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return -1, err
	}
	return fd, dupErr // non-blocking, as Go made it
}

// Send is one send with the flags MSG_NOSIGNAL and flags. The errno is 0 if n bytes were sent.
func Send(fd int, b []byte, flags int) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		uintptr(flags|unix.MSG_NOSIGNAL), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(r), 0
}

// Receive is one recv with flags. The errno is 0 if n bytes came; n is 0 at the end of the stream.
func Receive(fd int, b []byte, flags int) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(flags), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(r), 0
}

// Packets returns the kernel's counters of a TCP socket. If the kernel does not answer, nothing is
// known.
func Packets(fd int) packets.Counts {
	i, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return packets.Counts{}
	}
	return packets.Counts{
		Sources:     1,
		SentPackets: uint64(i.Segs_out), ReceivedPackets: uint64(i.Segs_in),
		SentDataPackets: uint64(i.Data_segs_out), ReceivedDataPackets: uint64(i.Data_segs_in),
		ResentPackets: uint64(i.Total_retrans), OutOfOrderPackets: uint64(i.Rcv_ooopack),
		SentBytes: i.Bytes_sent, AckedBytes: i.Bytes_acked, ResentBytes: i.Bytes_retrans,
		ReceivedBytes: i.Bytes_received,
	}
}
