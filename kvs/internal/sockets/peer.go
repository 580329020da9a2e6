package sockets

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/kvs"
)

// Peer is a server's address, and how a connection to it is secured.
type Peer struct {
	Network string // "tcp" or "unix"
	Addr    string
	TLS     *tls.Config // nil: in the clear
}

// TCP is a peer in the clear.
func TCP(addr string) Peer { return Peer{Network: "tcp", Addr: addr} }

// PeerOf returns the peer of a store's endpoint.
func PeerOf(e *kvs.Endpoint, store string, o *kvs.TLSOptions) (Peer, error) {
	p := Peer{Network: e.Network, Addr: e.Addr}
	if !e.TLS(store) {
		return p, nil
	}
	var err error
	p.TLS, err = config(e.Addr, o)
	return p, err
}

// Transport is what carries the requests, as facts name it.
func (p *Peer) Transport() string {
	if p.TLS != nil {
		return p.Network + "+tls"
	}
	return p.Network
}

// Dial connects. The connection has a deadline after the time-out.
func (p *Peer) Dial(ctx context.Context, timeout time.Duration) (net.Conn, error) {
	nc, err := p.dial(ctx, timeout)
	if err != nil || p.TLS == nil {
		return nc, err
	}
	secured, err := p.handshake(nc)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return alerted{secured}, nil
}

// alerted is a connection over TLS that knows why its server closed it. With TLS 1.3 a client's
// handshake ends before the server has judged the client's certificate. The refusal then comes as
// an alert and a reset, and the first write fails.
type alerted struct{ *tls.Conn }

// Write returns the server's alert, if one came before the write failed.
func (a alerted) Write(b []byte) (int, error) {
	n, err := a.Conn.Write(b)
	if err == nil {
		return n, nil
	}
	var op *net.OpError
	if _, told := a.Read(make([]byte, 1)); errors.As(told, &op) && op.Op == "remote error" {
		err = told
	}
	return n, err
}

func (p *Peer) dial(ctx context.Context, timeout time.Duration) (net.Conn, error) {
	d := net.Dialer{Timeout: timeout}
	nc, err := d.DialContext(ctx, p.Network, p.Addr)
	if err != nil {
		return nil, err
	}
	if err := nc.SetDeadline(time.Now().Add(timeout)); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

func (p *Peer) handshake(nc net.Conn) (*tls.Conn, error) {
	secured := tls.Client(nc, p.TLS)
	err := secured.Handshake()
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return nil, fmt.Errorf("the server did not answer the handshake of TLS; check that it "+
			"speaks TLS at this port, or leave out the last s of the scheme (%w)", err)
	}
	return secured, Explain(err)
}
