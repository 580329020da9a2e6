package rr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"dpukv/internal/rawsocket"
	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

const (
	dialTimeout = 5 * time.Second
	dialEach    = 10 * time.Millisecond // more for each connection
	// Words of the fact "wait": what a thread waits in.
	waitReceive = "recv"
	waitEpoll   = "epoll"
)

// dial connects and greets all connections.
func dial(ctx context.Context, addr string, o *options) (conns []*conn, err error) {
	limit := dialTimeout + time.Duration(o.connections)*dialEach
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var greeting []net.Conn
	for i := 0; i < o.connections && err == nil; i++ {
		var nc net.Conn
		if nc, err = hello(ctx, addr, o.bytes); err == nil {
			greeting = append(greeting, nc)
		}
	}
	for i, nc := range greeting { // the server's threads welcome them all meanwhile
		if err == nil {
			var c *conn
			if c, err = welcomed(nc, i, o.bytes); err == nil {
				conns = append(conns, c)
			}
		}
		_ = nc.Close() // conns have descriptors of their own
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("server %s: %w", addr, err), closeAll(conns))
	}
	return conns, nil
}

// hello connects and sends a hello. The connection has the context's deadline.
func hello(ctx context.Context, addr string, size int) (net.Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	deadline, _ := ctx.Deadline()
	if err = nc.SetDeadline(deadline); err == nil {
		_, err = nc.Write(appendHello(nil, size))
	}
	if err != nil {
		return nil, errors.Join(err, nc.Close())
	}
	return nc, nil
}

// welcomed waits for the server's answer to a hello.
func welcomed(nc net.Conn, number, size int) (*conn, error) {
	if err := readWelcome(nc); err != nil {
		return nil, fmt.Errorf("connection %d: %w", number, err)
	}
	fd, err := rawsocket.TakeOver(nc)
	if err != nil {
		return nil, err
	}
	if err := bounded(fd); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return newConn(number, fd, size), nil
}

func closeAll(conns []*conn) error {
	var errs []error
	for _, c := range conns {
		errs = append(errs, unix.Close(c.fd))
	}
	return errors.Join(errs...)
}

// movedBy sums the kernel's counters of connections.
func movedBy(conns []*conn) (m kvs.Moved) {
	for _, c := range conns {
		own := rawsocket.Packets(c.fd)
		m.Sockets.Add(&own)
	}
	return m
}

// socketFacts tell how TCP treats a connection. What the kernel does not tell is left out.
func socketFacts(fd int) map[string]string {
	facts := map[string]string{}
	name, err := unix.GetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION)
	if err == nil {
		facts["congestion"] = name
	}
	if info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
		facts["mss"] = strconv.Itoa(int(info.Snd_mss))
	}
	return facts
}
