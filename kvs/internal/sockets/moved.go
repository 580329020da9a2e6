package sockets

import (
	"net"

	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// Moved returns the kernel's counters of the session's sockets since they connected, their greeting
// included. It costs one system call per connection and touches no state of the session. So any
// goroutine may call it between the last Add and Close.
func (s *Session[C]) Moved() kvs.Moved {
	var m kvs.Moved
	for _, c := range s.conns {
		one := c.packets()
		m.Sockets.Add(&one)
	}
	return m
}

func (c *Conn[N]) packets() kvs.Packets { return ofSocket(c.fd) }

// MovedBy returns the kernel's counters of a TCP connection. It returns nothing for a closed one,
// and for a Unix socket.
func MovedBy(c net.Conn) (m kvs.Moved) {
	if secured, ok := c.(alerted); ok {
		c = secured.NetConn()
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return m
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return m
	}
	_ = raw.Control(func(fd uintptr) { m.Sockets = ofSocket(int(fd)) }) // it fails once closed
	return m
}

// ofSocket asks the kernel. If the kernel does not answer, nothing is known.
func ofSocket(fd int) kvs.Packets {
	i, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return kvs.Packets{}
	}
	return kvs.Packets{
		Sources:     1,
		SentPackets: uint64(i.Segs_out), ReceivedPackets: uint64(i.Segs_in),
		SentDataPackets: uint64(i.Data_segs_out), ReceivedDataPackets: uint64(i.Data_segs_in),
		ResentPackets: uint64(i.Total_retrans), OutOfOrderPackets: uint64(i.Rcv_ooopack),
		SentBytes: i.Bytes_sent, AckedBytes: i.Bytes_acked, ResentBytes: i.Bytes_retrans,
		ReceivedBytes: i.Bytes_received,
	}
}
