package herd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// Options configure a client.
type Options struct {
	// Device names the device that carries the requests: see [provider.Open], also for the options.
	// Empty: the server's provider, on the local address that leads to the server.
	Device        string
	DeviceOptions *provider.Options
	// RetryAfter is the time without an answer after which a request is sent again. It doubles with
	// each attempt, up to 16 times the first value. 0: [DefaultRetryAfter].
	RetryAfter time.Duration

	open opener // nil: openDevice
}

// DefaultRetryAfter is longer than the scheduler may keep a server that shares its CPU from
// running.
const DefaultRetryAfter = 20 * time.Millisecond

// Remote is a client's view of a HERD server. It keeps one connection for counters; sessions have
// their own.
type Remote struct {
	addr    string
	opts    Options
	welcome welcome
	device  verbs.Device
	pd      verbs.PD
	port    verbs.Port

	asking  sync.Mutex // one question at a time
	mu      sync.Mutex // never held while a server may answer
	control net.Conn
	closed  context.Context
	end     context.CancelFunc
}

var (
	_ kvs.Remote   = (*Remote)(nil)
	_ kvs.Observed = (*Remote)(nil)
)

// Dial shakes hands with the server at addr and opens a device that reaches it.
func Dial(ctx context.Context, addr string, opts Options) (*Remote, error) {
	opts.RetryAfter = cmp.Or(opts.RetryAfter, DefaultRetryAfter)
	if opts.open == nil {
		opts.open = openDevice
	}
	c, w, err := greet(ctx, addr)
	if err != nil {
		return nil, err
	}
	r := &Remote{addr: addr, opts: opts, welcome: *w, control: c}
	r.closed, r.end = context.WithCancel(context.Background())
	if err := r.open(); err != nil {
		r.end()
		c.Close()
		return nil, err
	}
	return r, nil
}

// greet connects and sends the hello.
func greet(ctx context.Context, addr string) (net.Conn, *welcome, error) {
	d := net.Dialer{Timeout: handshakeTimeout}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	defer context.AfterFunc(ctx, func() { c.Close() })()
	var w welcome
	if err = exchange(c, kindHello, hello{}, kindWelcome, &w); err == nil {
		err = w.check()
	}
	if err != nil {
		c.Close()
		return nil, nil, fmt.Errorf("handshake: %w", err)
	}
	return c, &w, nil
}

func (r *Remote) open() (err error) {
	name := r.opts.Device
	if name == "" {
		if name, err = r.deviceLikeServer(); err != nil {
			return err
		}
	}
	if r.device, err = r.opts.open(name, r.opts.DeviceOptions); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			r.device.Close()
		}
	}()
	if r.port, err = r.device.Port(); err != nil {
		return err
	}
	if r.pd, err = r.device.AllocPD(); err != nil {
		return err
	}
	if there := r.welcome.LinkLayer; r.port.LinkLayer != there {
		return fmt.Errorf("device %s has link layer %s, the server's %s has %s: choose devices "+
			"that reach each other",
			name, r.port.LinkLayer, r.welcome.Facts.Provider, there)
	}
	if err := verbs.Need(verbs.Unknown, user, r.device.Info(), r.welcome.Device); err != nil {
		return err
	}
	r.welcome.Facts = bothEnds(r.welcome.Facts, r.device.Info())
	if r.wholeBytes() < r.welcome.SlotBytes {
		r.welcome.Facts.RequestCheck = "CRC-32C"
	}
	return nil
}

// wholeBytes is the longest request that needs no check word.
func (r *Remote) wholeBytes() int {
	together := r.device.Info().Placement.With(r.welcome.Device.Placement)
	return wholeBytes(together, r.welcome.SlotBytes)
}

// bothEnds adds the client's device to the server's facts. With software at one end, the figures
// are not those of a NIC.
func bothEnds(f kvs.Facts, client verbs.DeviceInfo) kvs.Facts {
	f.Emulated = f.Emulated || client.Emulated
	if client.Provider != f.Provider {
		f.Provider = client.Provider + " to " + f.Provider
	}
	return f
}

// deviceLikeServer names a device like the server's.
func (r *Remote) deviceLikeServer() (string, error) {
	switch provider := r.welcome.Facts.Provider; provider {
	case providerSHM:
		return provider, nil
	case providerSoftRoCE:
		host, _, err := net.SplitHostPort(r.control.LocalAddr().String())
		return provider + ":" + host, err
	default:
		return "", fmt.Errorf("the server uses %s: name a device of this machine that reaches it",
			provider)
	}
}

// Facts returns the facts from the handshake.
func (r *Remote) Facts() kvs.Facts { return r.welcome.Facts }

// Stats asks the server for its counters.
func (r *Remote) Stats() (kvs.Stats, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	var s kvs.Stats
	err := exchange(r.connection(), kindAsk, struct{}{}, kindStats, &s)
	if err != nil && r.reconnect() == nil { // the server may have given its place to another
		err = exchange(r.connection(), kindAsk, struct{}{}, kindStats, &s)
	}
	if err != nil {
		err = fmt.Errorf("ask for counters: %w", err)
	}
	return s, err
}

// connection is the control connection.
func (r *Remote) connection() net.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.control
}

// reconnect opens a new control connection, unless the remote is closed meanwhile. The caller holds
// r.asking.
func (r *Remote) reconnect() error {
	c, _, err := greet(r.closed, r.addr)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed.Err() != nil {
		return errors.Join(r.closed.Err(), c.Close())
	}
	_ = r.control.Close() // it has failed already
	r.control = c
	return nil
}

// Events returns the device events of both ends since a time. The server's begin with its load, and
// are included if the server answers.
func (r *Remote) Events(since time.Time) string {
	var said []string
	if own := verbs.EventText(r.device, since); own != "" {
		said = append(said, "the client's device said: "+own)
	}
	return strings.Join(append(said, r.serverWarnings()...), "; ")
}

// serverWarnings asks on a connection of its own: after a failure the usual one may still wait for
// an answer.
func (r *Remote) serverWarnings() []string {
	const within = time.Second / 2
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	c, _, err := greet(ctx, r.addr)
	if err != nil {
		return nil
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	var s kvs.Stats
	if err := exchange(c, kindAsk, struct{}{}, kindStats, &s); err != nil {
		return nil
	}
	return s.Warnings
}

// Warnings returns the serious events of the client's device since a time.
func (r *Remote) Warnings(since time.Time) []string {
	list := verbs.Warnings(r.device, since)
	for i := range list {
		list[i] = "the client's device " + list[i]
	}
	return list
}

// DeviceCounters returns the counters of the client's device: see [verbs.Device].
func (r *Remote) DeviceCounters() map[string]uint64 { return r.device.Counters() }

// Moved returns the traffic of the control connection and of the device, which the sessions share.
func (r *Remote) Moved() kvs.Moved {
	m := sockets.MovedBy(r.connection())
	m.Device = verbs.PacketsOf(r.device)
	return m
}

// Open connects a session to every worker.
func (r *Remote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	return r.OpenExtended(opts, nil)
}

// check refuses options that the server cannot serve.
func (r *Remote) check(opts kvs.SessionOptions) error {
	switch most := r.welcome.Window; {
	case opts.Batch < 1 || opts.Window < 1 || opts.Connections < 1:
		return fmt.Errorf("window: found %d batches of %d operations on %d connections, "+
			"allowed: at least one of each",
			opts.Window, opts.Batch, opts.Connections)
	case opts.Batch > most || opts.Window > most || opts.Batch*opts.Window > most:
		return fmt.Errorf("window: found %d batches of %d operations, allowed: at most %d "+
			"requests in flight on a connection; start the server with a larger window",
			opts.Window, opts.Batch, most)
	}
	return r.welcome.checkSizes(kvs.Set, opts.KeyBytes, opts.MaxValueBytes, r.wholeBytes())
}

// Close closes the control connection and the device. It ends a call of Stats that waits for an
// answer. The caller closes sessions first.
func (r *Remote) Close() error {
	r.end()
	r.mu.Lock()
	err := r.control.Close()
	r.mu.Unlock()
	return errors.Join(err, r.device.Close())
}

// Device is the client's device, and PD its protection domain there.
func (r *Remote) Device() verbs.Device { return r.device }

// PD is the protection domain of the client's sessions.
func (r *Remote) PD() verbs.PD { return r.pd }

// OpenExtended is Open with an extension.
func (r *Remote) OpenExtended(opts kvs.SessionOptions, x SessionExtension) (kvs.Session, error) {
	if err := r.check(opts); err != nil {
		return nil, err
	}
	return openSession(r, opts, x)
}
