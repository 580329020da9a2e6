package mica

import (
	"context"
	"errors"
	"net"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/mica/proxy"
	"dpukv/verbs/idle"
)

// proxiedRemote is a client's view of a MICA server behind a proxy: the sessions' requests pass
// through the proxy. The connection for counters does not: it moves a few bytes, and the server's
// counters do not depend on a proxy that has failed.
type proxiedRemote struct {
	*Remote
	proxy *proxy.Client
	lanes kvs.LaneFacts
}

var (
	_ kvs.Remote   = (*proxiedRemote)(nil)
	_ kvs.Observed = (*proxiedRemote)(nil)
)

// proofBytes is the length of the slots of the lane that proves the way.
const proofBytes = 4 << 10

// dialProxied shakes hands with a server, and proves the way to it through a proxy.
func dialProxied(ctx context.Context, c *kvs.DialConfig) (*proxiedRemote, error) {
	direct, err := Dial(ctx, c.Addr)
	if err != nil {
		return nil, err
	}
	p, err := proxy.Dial(ctx, c.Proxy, c.Device, c.Answers)
	if err != nil {
		return nil, errors.Join(err, direct.Close())
	}
	r := &proxiedRemote{Remote: direct, proxy: p}
	link, err := p.Join(direct.welcome.Ports[0], 1, proofBytes)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.lanes = p.Lanes(link)
	if err := link.Close(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Facts returns the server's facts, and those of the lanes to the proxy.
func (r *proxiedRemote) Facts() kvs.Facts {
	f := r.Remote.Facts()
	f.ProxyLanes = &r.lanes
	return f
}

// Stats asks the server and the proxy for their counters.
func (r *proxiedRemote) Stats() (kvs.Stats, error) {
	s, err := r.Remote.Stats()
	if err != nil {
		return s, err
	}
	report, err := r.proxy.Report()
	if err != nil {
		return s, err
	}
	s.Parts = append(s.Parts, kvs.PartStats{
		Part: "proxy", CPUNs: report.CPUNs, SpunNs: report.SpunNs,
	})
	return s, nil
}

// Open connects a session to every worker, through the proxy.
func (r *proxiedRemote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	f := r.Facts()
	return openSession(&f, opts, r.connect)
}

func (r *proxiedRemote) connect(worker int, opts kvs.SessionOptions) (*conn, error) {
	slot := slotBytes(&opts, r.welcome.Facts.MaxFrameBytes)
	link, err := r.proxy.Join(r.welcome.Ports[worker], opts.Window, slot)
	if err != nil {
		return nil, err
	}
	c := &conn{maxFrame: slot}
	c.Attach(link, r.workerAddr(worker), opts)
	return c, nil
}

// unknownSlotBytes is the most bytes of a slot for requests of unknown sizes.
const unknownSlotBytes = 1 << 20

// slotBytes returns the length of the longest frame of a session: a request with all values. Its
// answers are shorter.
func slotBytes(opts *kvs.SessionOptions, maxFrame int) int {
	key, most := opts.KeyBytes, maxFrame
	value := opts.MaxValueBytes
	if key == 0 {
		key, value, most = kvs.MaxKeyBytes, kvs.MaxValueBytes, min(most, unknownSlotBytes)
	}
	const granularity = 64
	need := headerBytes + opts.Batch*requestBytes(key, value)
	return min(need+granularity-1, most) &^ (granularity - 1)
}

// Moved returns the traffic of the control connection, and of the proxy's connections to the
// server. If the proxy does not answer, the latter is not known.
func (r *proxiedRemote) Moved() kvs.Moved {
	m := r.Remote.Moved()
	if report, err := r.proxy.Report(); err == nil {
		m.Sockets.Add(&report.Sockets)
	}
	return m
}

// Events returns the events of the lanes' device since a time.
func (r *proxiedRemote) Events(since time.Time) string { return r.proxy.Events(since) }

// Warnings returns the serious events of the lanes' device since a time.
func (r *proxiedRemote) Warnings(since time.Time) []string { return r.proxy.Warnings(since) }

// Close closes the control connection and the device of the lanes.
func (r *proxiedRemote) Close() error { return errors.Join(r.Remote.Close(), r.proxy.Close()) }

// startProxy starts a proxy of clients.
func startProxy(c *kvs.ProxyConfig) (kvs.Server, error) {
	host, _, err := net.SplitHostPort(c.Server)
	if err != nil {
		host = c.Server // without a port
	}
	return proxy.Start(proxy.Config{
		Wait: idle.Wait(c.Wait),
		Frames: proxy.Frames{
			HeadBytes: headerBytes,
			Length: func(head []byte) (int, error) {
				h, err := parseHeader(head)
				return h.bytes, err
			},
			Greet: func(nc net.Conn) error {
				_, err := greet(nc)
				return err
			},
		},
		Listen: c.Listen, Host: host, Threads: c.Threads, CPUs: c.CPUs, Device: c.Device,
		Version: c.Version,
	})
}
