package sockets

import (
	"net"

	"dpukv/internal/packets"
	"dpukv/internal/rawsocket"
	"dpukv/kvs"
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

func (c *Conn[N]) packets() packets.Counts {
	if c.link != nil {
		return packets.Counts{}
	}
	return rawsocket.Packets(c.fd)
}

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
	_ = raw.Control(func(fd uintptr) { // it fails once closed
		m.Sockets = rawsocket.Packets(int(fd))
	})
	return m
}
