package mica

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
	"dpukv/kvs/partition"
)

// Remote is a client's view of a MICA server. It keeps one connection for counters; sessions have
// their own.
type Remote struct {
	host    string
	welcome welcome

	mu      sync.Mutex
	control net.Conn
}

var _ kvs.Remote = (*Remote)(nil)

// Dial shakes hands with the server whose worker 0 listens on addr.
func Dial(ctx context.Context, addr string) (*Remote, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("server address: found %q, allowed: HOST:PORT: %w", addr, err)
	}
	d := net.Dialer{Timeout: handshakeTimeout}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	w, err := greet(c)
	if err == nil {
		err = w.check()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return &Remote{host: host, welcome: *w, control: c}, nil
}

// check refuses a welcome that a session cannot work with.
func (w *welcome) check() error {
	f := &w.Facts
	if f.Workers < 1 || f.Workers > MaxWorkers || len(w.Ports) != f.Workers ||
		f.Partitions < f.Workers ||
		f.Partitions > partition.MaxPartitions || f.Partitions%f.Workers != 0 || f.MaxBatch < 1 ||
		f.MaxBatch > MaxBatch {
		return fmt.Errorf("the server's handshake is invalid: found %d workers, %d ports, %d "+
			"partitions, batches of %d",
			f.Workers, len(w.Ports), f.Partitions, f.MaxBatch)
	}
	return cmp.Or(f.Check(), f.CheckStore(partition.EREW.String(), partition.CREW.String()))
}

// Facts returns the facts from the handshake.
func (r *Remote) Facts() kvs.Facts { return r.welcome.Facts }

// Stats asks the server for its counters.
func (r *Remote) Stats() (kvs.Stats, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s kvs.Stats
	if err := r.control.SetDeadline(time.Now().Add(handshakeTimeout)); err != nil {
		return s, err
	}
	err := exchange(r.control, kindAsk, nil, kindStats, &s)
	if err != nil {
		err = fmt.Errorf("ask %s for its counters: %w", r.control.RemoteAddr(), err)
	}
	return s, err
}

// Open connects a session to every worker.
func (r *Remote) Open(opts kvs.SessionOptions) (kvs.Session, error) {
	f := r.Facts()
	return openSession(&f, opts, r.connect)
}

// connect connects a session to a worker.
func (r *Remote) connect(worker int, opts kvs.SessionOptions) (*conn, error) {
	return dialConn(r.workerAddr(worker), r.welcome.Facts.MaxFrameBytes, opts)
}

// Moved returns the traffic of the control connection.
func (r *Remote) Moved() kvs.Moved { return sockets.MovedBy(r.control) }

// Close closes the control connection.
func (r *Remote) Close() error { return r.control.Close() }

// workerAddr returns the address that a worker listens on.
func (r *Remote) workerAddr(worker int) string {
	return net.JoinHostPort(r.host, strconv.Itoa(r.welcome.Ports[worker]))
}
