package mica

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"dpukv/internal/packets"
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

	mu     sync.Mutex
	report *proxy.Report  // of the last Stats, for the next Moved; nil: Moved has taken it
	at     time.Time      // of the report
	known  packets.Counts // of the proxy, at the last report
	others int            // the most pairs of other clients, in any report
	missed error          // of the last Moved without a report
}

// sampleTime is the longest time between the Stats and the Moved of one sample.
const sampleTime = 20 * time.Millisecond

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
	if err := link.Close(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Facts returns the server's facts, and those of the lanes to the proxy.
func (r *proxiedRemote) Facts() kvs.Facts {
	f := r.Remote.Facts()
	lanes := r.proxy.Lanes()
	f.ProxyLanes = &lanes
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
	r.mu.Lock()
	defer r.mu.Unlock()
	r.learn(report)
	r.report, r.at = report, time.Now()
	s.Parts = append(s.Parts, kvs.PartStats{
		Part: "proxy", CPUNs: report.CPUNs, SpunNs: report.SpunNs,
	})
	return s, nil
}

// Open connects a session to every worker, through the proxy.
func (r *proxiedRemote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	f := r.Facts()
	opts.Wait = "" // lanes are polled in any case
	if err := r.proxy.Room(opts.Connections * f.Workers); err != nil {
		return nil, err
	}
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

// learn keeps what is needed of a report. The caller has the lock.
func (r *proxiedRemote) learn(report *proxy.Report) {
	r.known, r.others = report.Sockets, max(r.others, report.OthersPairs)
}

// Moved returns the traffic of the control connection, and of the proxy's connections to the
// server. In a sample, Stats has just asked the proxy. If the proxy does not answer, the traffic is
// that of its last report, and Warnings has a warning.
func (r *proxiedRemote) Moved() kvs.Moved {
	m := r.Remote.Moved()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.report == nil || time.Since(r.at) > sampleTime {
		report, err := r.proxy.ReportSoon()
		if r.missed = err; err == nil {
			r.learn(report)
		}
	}
	r.report = nil
	m.Sockets.Add(&r.known)
	return m
}

// Events returns the events of the lanes' device since a time.
func (r *proxiedRemote) Events(since time.Time) string { return r.proxy.Events(since) }

// Warnings returns the serious events of the lanes' device since a time, and what is wrong with the
// proxy's counters.
func (r *proxiedRemote) Warnings(since time.Time) []string {
	list := r.proxy.Warnings(since)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.others > 0 {
		list = append(list, fmt.Sprintf("the proxy carried up to %d connections of other clients. "+
			"Its CPU time and its packets are those of all: give each client a proxy of its own",
			r.others))
	}
	if r.missed != nil {
		list = append(list, fmt.Sprintf("the client's traffic lacks the proxy's last part: %v",
			r.missed))
	}
	return list
}

// Close closes the control connection and the device of the lanes.
func (r *proxiedRemote) Close() error { return errors.Join(r.Remote.Close(), r.proxy.Close()) }

// hostOf returns the host of an address, which may have no port.
func hostOf(addr string) string {
	if host, _, err := net.SplitHostPort(addr); err == nil {
		return host
	}
	if inside, ok := strings.CutPrefix(addr, "["); ok {
		return strings.TrimSuffix(inside, "]")
	}
	return addr
}

// startProxy starts a proxy of clients.
func startProxy(c *kvs.ProxyConfig) (kvs.Server, error) {
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
		Listen: c.Listen, Host: hostOf(c.Server), Threads: c.Threads, CPUs: c.CPUs,
		Device: c.Device, Version: c.Version,
	})
}
