package placement

import (
	"context"
	"os"

	"dpukv/internal/tcpinfo"
	"dpukv/kvs"
	"dpukv/results"
)

// watcher reads what a server's process has moved.
type watcher struct {
	pid int // 0: not known
	srv server
}

// newWatcher is for a server that was started here: that of others may be on another machine.
func newWatcher(srv server, spec *serverSpec) watcher {
	w := watcher{srv: srv}
	if spec.Attach == "" {
		if w.pid = srv.Facts().PID; w.pid == 0 {
			w.pid = os.Getpid()
		}
	}
	return w
}

// moved is what the process's open connections moved so far, and its device. Nothing is known where
// the kernel does not tell.
func (w *watcher) moved() (m kvs.Moved) {
	if own, ok := w.srv.(interface{ Moved() kvs.Moved }); ok {
		m = own.Moved()
	}
	if w.pid == 0 {
		return m
	}
	list, err := tcpinfo.Of(w.pid)
	if err != nil {
		return m
	}
	for i := range list {
		s := &list[i]
		m.Sockets.Add(&kvs.Packets{
			Sources:     1,
			SentPackets: uint64(s.Segs_out), ReceivedPackets: uint64(s.Segs_in),
			SentDataPackets: uint64(s.Data_segs_out), ReceivedDataPackets: uint64(s.Data_segs_in),
			ResentPackets: uint64(s.Total_retrans), OutOfOrderPackets: uint64(s.Rcv_ooopack),
			SentBytes: s.Bytes_sent, AckedBytes: s.Bytes_acked, ResentBytes: s.Bytes_retrans,
			ReceivedBytes: s.Bytes_received,
		})
	}
	return m
}

// count asks the server's node what it has moved so far. While the clients wait for their start, or
// to be let go, all that was sent has come.
func (r *runner) count(ctx context.Context, e *ensemble) (kvs.Moved, error) {
	e.server.send(&count{})
	c, err := expect[*counted](ctx, e.server.process, r.patience.result, "count what it moved")
	if err != nil {
		return kvs.Moved{}, err
	}
	return c.Moved, nil
}

// noteServerMoved puts what the server moved in the load into a point.
func noteServerMoved(p *results.Point, m kvs.Moved) {
	p.ServerMovedLoad = results.Moved{
		Sockets: results.Packets(m.Sockets), Device: results.Packets(m.Device),
	}
	if warning := p.ServerMovedLoad.Sockets.ResentWarning("server", "in the load"); warning != "" {
		p.Warnings = append(p.Warnings, warning)
	}
}
