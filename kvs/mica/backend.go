package mica

import (
	"dpukv/kvs"
	"dpukv/kvs/partition"
)

// items are where a server has its items: in partitions of its own, or in a store half.
type items interface {
	// backend returns what executes the requests of one worker.
	backend(worker int, pinned bool) backend
	// addTo adds the counters that no worker here has.
	addTo(*kvs.Stats) error
	Close() error
}

// backend executes the requests of one worker. It belongs to the loop's thread.
type backend interface {
	// limits returns the most bytes of a request, and the most requests of one connection that are
	// without an answer.
	limits() (bytes, unanswered int)
	// begin is called first on the loop's thread.
	begin(*worker)
	// accepts reports whether a connection's request can be executed now, or handed on.
	accepts(*peer) bool
	// request executes a connection's request or hands it on. Its last byte was read at cameNs.
	request(p *peer, h header, frame []byte, cameNs int64) error
	// serve is called each time that the wakeup is read.
	serve(*worker)
	// tick is called by each tick. It reports whether another one is needed.
	tick(*worker) bool
	count(*kvs.WorkerStats)
}

// table are the items of a server that is not split.
type table struct{ *partition.Table }

func (t table) backend(worker int, _ bool) backend { return partitions{t.Core(worker)} }
func (t table) addTo(*kvs.Stats) error             { return nil }

// partitions are those of a worker. They execute a request at once.
type partitions struct{ core *partition.Core }

func (partitions) limits() (bytes, unanswered int) { return MaxFrameBytes, 1 }
func (partitions) begin(*worker)                   {}
func (partitions) accepts(*peer) bool              { return true }
func (partitions) serve(*worker)                   {}
func (partitions) tick(*worker) bool               { return false }

func (b partitions) request(p *peer, h header, frame []byte, cameNs int64) error {
	w := p.w
	ops, err := parseRequest(frame[headerBytes:], h.count, w.ops)
	if err != nil {
		return err
	}
	w.out = execute(b.core, h.sequence, ops, w.out, MaxFrameBytes)
	w.counters.Frames++
	w.counters.Ops += uint64(len(ops))
	w.unwritten.add(len(ops), cameNs)
	return nil
}

func (b partitions) count(s *kvs.WorkerStats) { CountItems(s, b.core) }

// CountItems puts the counters of a worker's partitions among the worker's own.
func CountItems(s *kvs.WorkerStats, core *partition.Core) {
	p := core.Stats()
	s.Gets, s.Hits, s.Items, s.Evicted, s.Full = p.Gets, p.Hits, p.Items, p.Evicted, p.Full
}
