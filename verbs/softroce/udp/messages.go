package udp

import (
	"encoding/binary"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mmsghdr is the kernel's struct mmsghdr.
type mmsghdr struct {
	unix.Msghdr
	bytes uint32 // sent or received
}

// controlBytes is room for one control message with an int: the segment size.
const controlBytes = 24

// message is one datagram, or a train of them, with everything that its mmsghdr points to.
type message struct {
	iov     unix.Iovec
	name    unix.RawSockaddrInet4
	control [controlBytes]byte
}

// Messages are the arguments of one recvmmsg or sendmmsg. The headers point into parts, so both
// must stay at their addresses.
type Messages struct {
	headers []mmsghdr
	parts   []message
}

func NewMessages(n int) *Messages {
	m := &Messages{make([]mmsghdr, n), make([]message, n)}
	for i := range m.headers {
		h, p := &m.headers[i], &m.parts[i]
		h.Name = (*byte)(unsafe.Pointer(&p.name))
		h.Iov = &p.iov
		h.SetIovlen(1)
		h.Control = &p.control[0]
	}
	return m
}

// SetBuffer sets the bytes of message i.
func (m *Messages) SetBuffer(i int, b []byte) {
	m.parts[i].iov.Base = &b[0]
	m.parts[i].iov.SetLen(len(b))
}

// SetDestination sets the receiver of message i.
func (m *Messages) SetDestination(i int, name *unix.RawSockaddrInet4) {
	m.parts[i].name = *name
	m.headers[i].Namelen = unix.SizeofSockaddrInet4
}

// SetSegment makes the kernel cut message i into datagrams of n bytes. 0: it stays whole.
func (m *Messages) SetSegment(i, n int) {
	h := &m.headers[i]
	if n == 0 {
		h.SetControllen(0)
		return
	}
	c := (*unix.Cmsghdr)(unsafe.Pointer(&m.parts[i].control))
	c.Level, c.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
	c.SetLen(unix.CmsgLen(2))
	binary.NativeEndian.PutUint16(m.parts[i].control[unix.CmsgLen(0):], uint16(n))
	h.SetControllen(unix.CmsgSpace(2))
}

// ReadyToReceive restores the room for names and control messages, which the kernel has shortened.
func (m *Messages) ReadyToReceive(i int) {
	m.headers[i].Namelen = unix.SizeofSockaddrInet4
	m.headers[i].SetControllen(controlBytes)
}

// Source returns the source of message i, as received.
func (m *Messages) Source(i int) netip.AddrPort {
	n := &m.parts[i].name
	port := (*[2]byte)(unsafe.Pointer(&n.Port))
	return netip.AddrPortFrom(netip.AddrFrom4(n.Addr), binary.BigEndian.Uint16(port[:]))
}

// Segment returns the size of the datagrams that the kernel coalesced into message i. 0: it is a
// single one.
func (m *Messages) Segment(i int) int {
	h := &m.headers[i]
	if h.Controllen == 0 {
		return 0
	}
	c := (*unix.Cmsghdr)(unsafe.Pointer(&m.parts[i].control))
	if int(c.Len) < unix.CmsgLen(4) || c.Level != unix.IPPROTO_UDP || c.Type != unix.UDP_GRO {
		return 0
	}
	return int(int32(binary.NativeEndian.Uint32(m.parts[i].control[unix.CmsgLen(0):])))
}

// Truncated reports whether message i was longer than its buffer.
func (m *Messages) Truncated(i int) bool { return m.headers[i].Flags&unix.MSG_TRUNC != 0 }

// Bytes returns the number of received bytes of message i.
func (m *Messages) Bytes(i int) int { return int(m.headers[i].bytes) }

// Sockaddr returns addr in the kernel's form.
func Sockaddr(addr netip.AddrPort) unix.RawSockaddrInet4 {
	n := unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: addr.Addr().As4()}
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n.Port))[:], addr.Port())
	return n
}

// Receive takes the present messages, without waiting.
func (m *Messages) Receive(s *Socket) (int, error) {
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(s.fd),
		uintptr(unsafe.Pointer(&m.headers[0])),
		uintptr(len(m.headers)), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	packetsArrived()
	return int(n), nil
}

// Send sends the messages in [from, to), without waiting for room in the socket. It returns their
// number.
func (m *Messages) Send(s *Socket, from, to int) (int, error) {
	packetsLeave()
	n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(s.fd),
		uintptr(unsafe.Pointer(&m.headers[from])),
		uintptr(to-from), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
