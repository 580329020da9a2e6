package client

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"time"

	"dpukv/hashbench"
	"dpukv/internal/cpu"
	"dpukv/internal/packets"
	"dpukv/kvs"
)

var errDead = errors.New("connection reset by fake server")

// faults are the faults of a fake server. Counts are of its operations, preload included; 0 is
// never.
type faults struct {
	flipAt uint64                // damages the value of the first GET from this operation on
	dropAt uint64                // never answers the batch with this operation
	dieAt  uint64                // breaks all connections from this operation on
	forget func(key uint64) bool // loses these keys
	lose   uint64                // confirms one SET in so many and does not store it, after the preload
	// confirms these writes and does not do them; stats count no eviction
	ignore   func(q *kvs.Request, there bool) bool
	capacity int  // keys that fit
	evict    bool // the oldest key makes room for another, or the SET is refused
	// of so many evictions, it counts all but one
	uncounted uint64
	evictions uint64
	window    int    // that its sessions keep, whatever they are asked to; 0: that
	noStats   uint64 // the call of Stats that fails
	echoes    bool   // answers SETs with their value
	resend    uint64 // its network loses one in so many packets; each operation is one
}

// fakeRemote is a server in this process: a map and one lock.
type fakeRemote struct {
	facts   kvs.Facts
	faults  faults
	latency time.Duration // of a batch
	// residence is the part of the latency that the server reports as its own.
	residence time.Duration

	mu         sync.Mutex
	store      map[string][]byte
	stats      kvs.WorkerStats
	statsCalls uint64
	sets       uint64
	order      []string // of the keys in the store, the oldest first, if it evicts
	trace      []kvs.Op // of all operations, with their keys
	traceKeys  []string
	traceTTLs  []time.Duration
	open       int
}

func newFakeRemote() *fakeRemote {
	return &fakeRemote{
		facts: kvs.Facts{
			Store: "fake", Version: "v0", Transport: "memory", Workers: 1, Partitions: 1,
			Hash: hashbench.Default, Setup: kvs.Setup{Mode: "store", Access: "erew"}, MinHitRate: 1, MaxBatch: 256,
		},
		store: map[string][]byte{},
	}
}

func (r *fakeRemote) Facts() kvs.Facts { return r.facts }
func (r *fakeRemote) Close() error     { return nil }

// Moved returns what the control connection alone moved: nothing changes.
func (r *fakeRemote) Moved() kvs.Moved {
	return kvs.Moved{Sockets: packets.Counts{Sources: 1, SentPackets: 3}}
}

// movedNow counts one packet for each operation of all sessions.
func (r *fakeRemote) movedNow() (m kvs.Moved) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.stats.Ops
	m.Sockets = packets.Counts{Sources: 1, SentPackets: n, SentDataPackets: n, SentBytes: 100 * n}
	if every := r.faults.resend; every > 0 {
		m.Sockets.ResentPackets = n / every
	}
	return m
}

func (r *fakeRemote) Stats() (kvs.Stats, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statsCalls++
	if r.statsCalls == r.faults.noStats {
		return kvs.Stats{}, errDead
	}
	// The CPU time of a server whose operations take 100 ns each.
	return kvs.Stats{CPUNs: int64(r.stats.Ops) * 100, Workers: []kvs.WorkerStats{r.stats}}, nil
}

func (r *fakeRemote) Open(o kvs.SessionOptions) (kvs.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open++
	if w := r.faults.window; w > 0 {
		o.Window = w
	}
	return &fakeSession{remote: r, options: o}, nil
}

// execute answers one operation. delivered is false if the network loses the answer.
func (r *fakeRemote) execute(q *kvs.Request) (a kvs.Answer, delivered bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Ops++
	r.stats.ResidenceNs += uint64(r.residence)
	r.trace, r.traceKeys = append(r.trace, q.Op), append(r.traceKeys, string(q.Key))
	r.traceTTLs = append(r.traceTTLs, q.TTL)
	a = kvs.Answer{Op: q.Op, Cookie: q.Cookie, IntendedNs: q.IntendedNs}
	_, there := r.store[string(q.Key)]
	switch {
	case q.Op != kvs.Get && r.faults.ignore != nil && r.faults.ignore(q, there):
	case q.Op == kvs.Add && there:
		a.Status = kvs.Exists
	case q.Op == kvs.Set || q.Op == kvs.Add:
		a.Status = r.set(q)
		if r.faults.echoes {
			a.Value = q.Value
		}
	case q.Op == kvs.Delete && !there:
		a.Status = kvs.NotFound
	case q.Op == kvs.Delete:
		delete(r.store, string(q.Key))
	default:
		a.Value, a.Status = r.get(q)
	}
	return a, r.faults.dropAt == 0 || r.stats.Ops != r.faults.dropAt
}

func (r *fakeRemote) set(q *kvs.Request) kvs.Status {
	_, there := r.store[string(q.Key)]
	if c := r.faults.capacity; c > 0 && !there && len(r.store) >= c {
		if !r.faults.evict {
			r.stats.Full++
			return kvs.Full
		}
		for len(r.store) >= c {
			if _, there := r.store[r.order[0]]; there {
				r.faults.evictions++
				if n := r.faults.uncounted; n == 0 || r.faults.evictions%n > 0 {
					r.stats.Evicted++
				}
			}
			delete(r.store, r.order[0])
			r.order = r.order[1:]
		}
	}
	if !there && r.faults.evict {
		r.order = append(r.order, string(q.Key))
	}
	if r.sets++; r.faults.lose == 0 || r.sets <= testKeys || r.sets%r.faults.lose > 0 {
		r.store[string(q.Key)] = bytes.Clone(q.Value)
	}
	return kvs.OK
}

func (r *fakeRemote) get(q *kvs.Request) ([]byte, kvs.Status) {
	r.stats.Gets++
	value, there := r.store[string(q.Key)]
	if !there || r.faults.forget != nil && r.faults.forget(cookieKey(q.Cookie)) {
		return nil, kvs.NotFound
	}
	r.stats.Hits++
	if f := &r.faults; f.flipAt > 0 && r.stats.Ops >= f.flipAt {
		f.flipAt = 0
		value = bytes.Clone(value)
		value[len(value)-1] ^= 1
	}
	return value, kvs.OK
}

func (r *fakeRemote) dead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.faults.dieAt > 0 && r.stats.Ops >= r.faults.dieAt
}

// readyAt returns when the answer arrives for a batch sent at sentNs.
func (r *fakeRemote) readyAt(sentNs int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sentNs + int64(r.latency)
}

// fakeQueueNs is the time that a batch is said to wait for its socket.
const fakeQueueNs = 1000

// fakeFrame is a batch in flight.
type fakeFrame struct {
	answers []kvs.Answer
	readyNs int64
	lost    bool
}

type fakeSession struct {
	remote  *fakeRemote
	options kvs.SessionOptions
	batch   []kvs.Request
	flight  []fakeFrame
	traffic kvs.Traffic
}

func (s *fakeSession) Submit(q *kvs.Request) (bool, error) {
	if s.remote.dead() {
		return false, errDead
	}
	if len(s.batch) == s.options.Batch && !s.send() {
		return false, nil
	}
	own := *q
	own.Key, own.Value = bytes.Clone(q.Key), bytes.Clone(q.Value)
	s.batch = append(s.batch, own)
	if len(s.batch) == s.options.Batch {
		s.send()
	}
	return true, nil
}

// send executes the batch if the window has room for it.
func (s *fakeSession) send() bool {
	if len(s.flight) >= s.options.Window || len(s.batch) == 0 {
		return false
	}
	now, frame := cpu.NowNs(), fakeFrame{}
	for i := range s.batch {
		a, delivered := s.remote.execute(&s.batch[i])
		a.SentNs = now
		frame.answers = append(frame.answers, a)
		frame.lost = frame.lost || !delivered
	}
	frame.readyNs = s.remote.readyAt(now)
	s.flight = append(s.flight, frame)
	s.traffic.Frames++
	s.traffic.SentBytes += 100
	s.traffic.SentOps += uint64(len(s.batch))
	s.traffic.QueuedNs += uint64(len(s.batch)) * fakeQueueNs
	s.batch = s.batch[:0]
	return true
}

func (s *fakeSession) Flush() error {
	s.send()
	return nil
}

func (s *fakeSession) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	deadline := cpu.NowNs() + int64(wait)
	for {
		if s.remote.dead() {
			return answers, errDead
		}
		now, next := cpu.NowNs(), deadline
		s.flight = slices.DeleteFunc(s.flight, func(f fakeFrame) bool {
			if f.lost || f.readyNs > now {
				if !f.lost {
					next = min(next, f.readyNs)
				}
				return false
			}
			for _, a := range f.answers {
				a.ReceivedNs = now
				answers = append(answers, a)
			}
			return true
		})
		if len(s.batch) == s.options.Batch {
			s.send()
		}
		if len(answers) > 0 || now >= deadline {
			return answers, nil
		}
		time.Sleep(max(time.Duration(next-now), time.Microsecond))
	}
}

func (s *fakeSession) InFlight() int {
	n := len(s.batch)
	for _, f := range s.flight {
		n += len(f.answers)
	}
	return n
}

func (s *fakeSession) Traffic() kvs.Traffic { return s.traffic }

func (s *fakeSession) Moved() kvs.Moved { return s.remote.movedNow() }

func (s *fakeSession) Close() error {
	s.remote.mu.Lock()
	defer s.remote.mu.Unlock()
	s.remote.open--
	return nil
}
