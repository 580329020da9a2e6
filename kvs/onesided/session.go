package onesided

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"dpukv/kvs"
	"dpukv/verbs"
)

// session is one client thread's access: lanes for GETs by READ, and a session of HERD for all
// other requests.
type session struct {
	remote  *Remote
	workers int
	opts    kvs.SessionOptions
	herd    kvs.Session
	cq      verbs.CQ
	wcs     []verbs.WC
	lanes   []*lane
	at      int

	asking  kvs.Request // here, as one per GET would be an allocation
	asked   []askedGet  // by number
	unused  []int32     // numbers
	frames  uint64
	traffic kvs.ReadTraffic
	hits    uint64
	shared  *shared
}

// askedGet is a GET that the server is asked for.
type askedGet struct{ intendedNs, sentNs int64 }

// shared are a session's counters for other goroutines.
type shared struct{ ops, hits atomic.Uint64 }

const pollBatch = 64

func openSession(r *Remote, o kvs.SessionOptions) (s *session, err error) {
	s = &session{remote: r, opts: o, wcs: make([]verbs.WC, pollBatch), shared: &shared{}}
	s.workers = r.Facts().Workers
	depth := (o.Batch*o.Window*s.workers + o.Batch) * 2 * max(o.Connections, 1)
	if o.Batch < 1 || o.Window < 1 || o.Connections < 1 || o.Batch > maxInFlight ||
		o.Window > maxInFlight || o.Batch*o.Window > maxInFlight {
		depth = 1 // HERD refuses
	}
	if s.cq, err = r.Device().CreateCQ(depth); err != nil {
		return nil, err
	}
	h, err := r.OpenExtended(o, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.herd = h
	r.opened(s.shared)
	return s, nil
}

// Ask makes the queue pair of one more connection.
func (s *session) Ask() (any, error) {
	l, err := newLane(s.remote.Device(), s.remote.PD(), s.cq, s.opts, s.workers,
		uint32(len(s.lanes)))
	l.traffic = &s.traffic
	s.lanes = append(s.lanes, l)
	if err != nil {
		return nil, err
	}
	return question{QP: l.qp.Local()}, nil
}

// Granted connects it.
func (s *session) Granted(answer []byte) error {
	return s.lanes[len(s.lanes)-1].connect(s.remote.PD(), answer)
}

// Submit puts a GET of a short key into a list of READs. HERD takes the rest.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	if r.Op != kvs.Get || len(r.Key) > KeyBytes || len(r.Key) == 0 {
		return s.herd.Submit(r)
	}
	l := s.lanes[s.at]
	if !l.room() {
		if !s.turn() {
			return false, nil
		}
		l = s.lanes[s.at]
	}
	l.stage(r)
	if l.room() {
		return true, nil
	}
	if s.at++; s.at == len(s.lanes) {
		s.at = 0
	}
	return true, s.post(l) // if the window is full, the list leaves when answers come
}

// turn goes on to the next lane whose list has room.
func (s *session) turn() bool {
	for range s.lanes {
		if s.at++; s.at == len(s.lanes) {
			s.at = 0
		}
		if s.lanes[s.at].room() {
			return true
		}
	}
	return false
}

func (s *session) post(l *lane) error {
	n, err := l.postOpen()
	if n > 0 {
		s.frames++
		s.publish(n)
	}
	return err
}

// publish counts GETs that READs will answer, or no longer.
func (s *session) publish(n int) {
	s.shared.ops.Store(s.shared.ops.Load() + uint64(n)) // no other goroutine stores
}

// Flush sends the lists that are not full.
func (s *session) Flush() error {
	for _, l := range s.lanes {
		if err := s.post(l); err != nil {
			return err
		}
	}
	return s.herd.Flush()
}

// Poll takes answers. HERD's session waits for both kinds: see Collect.
func (s *session) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	had := len(answers)
	answers, err := s.herd.Poll(answers, wait)
	if len(s.unused) < len(s.asked) {
		s.restore(answers[had:])
	}
	return answers, err
}

// ask asks the server for a GET that READs did not answer. It has a time due that no other request
// has, which tells its number. ok: HERD's session has taken it.
func (s *session) ask(e *entry) (ok bool, err error) {
	if len(s.unused) == 0 {
		s.unused = append(s.unused, int32(len(s.asked)))
		s.asked = append(s.asked, askedGet{})
	}
	n := s.unused[len(s.unused)-1]
	s.asking = kvs.Request{
		Op: kvs.Get, Key: e.text[:e.key.bytes], Hash: e.hash, Cookie: e.cookie,
		IntendedNs: -1 - int64(n),
	}
	ok, err = s.herd.Submit(&s.asking)
	if ok {
		s.unused = s.unused[:len(s.unused)-1]
		s.asked[n] = askedGet{e.intended, e.sentNs}
	}
	return ok, err
}

// restore completes the answers to GETs that the server was asked for.
func (s *session) restore(answers []kvs.Answer) {
	for i := range answers {
		a := &answers[i]
		if a.IntendedNs >= 0 {
			continue
		}
		n := int32(-1 - a.IntendedNs)
		a.IntendedNs, a.SentNs = s.asked[n].intendedNs, s.asked[n].sentNs
		s.unused = append(s.unused, n)
	}
}

// Collect takes the READs that have completed, sends the next ones, and asks the server for what
// they did not answer.
func (s *session) Collect(answers []kvs.Answer) ([]kvs.Answer, error) {
	had := len(answers)
	for {
		n, err := s.cq.Poll(s.wcs)
		if err != nil {
			return answers, err
		}
		if n == 0 {
			break
		}
		now := kvs.NowNs()
		for i := range s.wcs[:n] {
			wc := &s.wcs[i]
			if wc.Status != verbs.StatusSuccess {
				return answers, fmt.Errorf("%s: a READ of its table completed with: %s; the "+
					"server has ended, or closed its table: connect again", s.remote.addr,
					wc.Status)
			}
			l := s.lanes[wc.ID>>32]
			if answers, err = l.arrived(uint32(wc.ID), now, answers); err != nil {
				return answers, err
			}
		}
		if n < len(s.wcs) {
			break
		}
	}
	if len(answers) > had {
		s.countHits(answers[had:])
	}
	return answers, s.goOn()
}

func (s *session) countHits(answers []kvs.Answer) {
	for i := range answers {
		if answers[i].Status == kvs.OK {
			s.hits++
		}
	}
	s.shared.hits.Store(s.hits)
}

// goOn sends full lists that were waiting, and asks the server.
func (s *session) goOn() error {
	asked := 0
	for _, l := range s.lanes {
		n, err := s.askFor(l)
		if err != nil {
			return err
		}
		asked += n
		if !l.room() {
			if err := s.post(l); err != nil {
				return err
			}
		}
	}
	if asked == 0 {
		return nil
	}
	s.publish(-asked) // the server counts them
	s.traffic.Asked += uint64(asked)
	return s.herd.Flush()
}

// askFor asks the server for the entries of a lane that READs did not answer, as far as HERD's
// session takes them. They leave the lane's window, and enter HERD's.
func (s *session) askFor(l *lane) (n int, err error) {
	for ; n < len(l.asks); n++ {
		ok, err := s.ask(&l.entries[l.asks[n]])
		if err != nil {
			return n, err
		}
		if !ok {
			break
		}
		l.leave(l.asks[n])
	}
	l.asks = l.asks[:copy(l.asks, l.asks[n:])]
	l.advance()
	return n, nil
}

// InFlight counts requests without an answer.
func (s *session) InFlight() int {
	n := s.herd.InFlight()
	for _, l := range s.lanes {
		n += l.pending
	}
	return n
}

// Traffic returns the counters since the session was opened.
func (s *session) Traffic() kvs.Traffic {
	t := s.herd.Traffic()
	t.Frames += s.frames
	t.ReceivedBytes += s.traffic.Bytes
	t.Items = s.traffic
	return t
}

// Moved returns the traffic of the side channels.
func (s *session) Moved() kvs.Moved { return s.herd.Moved() }

// Close ends the connections.
func (s *session) Close() error {
	var errs []error
	for _, l := range s.lanes {
		errs = append(errs, l.close())
	}
	s.lanes = nil
	if s.cq != nil {
		errs = append(errs, s.cq.Close())
	}
	if s.herd != nil {
		errs = append(errs, s.herd.Close())
		s.remote.closed(s.shared)
	}
	return errors.Join(errs...)
}
