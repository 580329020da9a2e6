package client

import (
	"dpukv/kvs"
	"dpukv/results"
)

// moved is what the client's sockets and device moved so far: of the sessions that are open, and of
// what the remote has of its own. It may be called while the workers are at work.
func (r *runner) moved() kvs.Moved {
	m := r.remote.Moved()
	for _, w := range r.pool.workers {
		if w.session != nil {
			one := w.session.Moved()
			m.Add(&one)
		}
	}
	return m
}

// moves fills in what the client moved.
func (r *runner) moves(p *results.Point) {
	p.ClientMoved = resultMoved(r.whole)
	if r.warming == (kvs.Moved{}) {
		return // the run ended before
	}
	p.ClientMovedLoad = resultMoved(r.whole.Since(&r.warming))
	if begin, end := &r.sampler.begin, &r.sampler.end; end.nowNs > 0 {
		p.ClientMovedWindow = resultMoved(end.moved.Since(&begin.moved))
	}
}

func resultMoved(m kvs.Moved) results.Moved {
	return results.Moved{Sockets: results.Packets(m.Sockets), Device: results.Packets(m.Device)}
}
