package client

import (
	"dpukv/kvs"
	"dpukv/results"
)

// moved returns the traffic of the client's sockets and device so far. It covers the open sessions
// and the remote's own connections. The workers may be running meanwhile.
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

// moves fills in the client's traffic.
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
