package herd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/idle"
)

// session holds one client thread's connections to all workers of a server.
type session struct {
	remote       *Remote
	opts         kvs.SessionOptions
	device       verbs.Device
	cq           verbs.CQ // of answers
	wcs          []verbs.WC
	wrs          []verbs.SendWR // empty; room for any link's list
	groups       []group        // one per worker
	links        []*link        // all
	sideChannels []*sideChannel

	pending     int   // submitted requests without an answer
	nextCheckNs int64 // next check for overdue answers
	traffic     kvs.Traffic
	waits       idle.Bounded

	extension SessionExtension // nil: none
}

// group holds the links to one worker, used in turn.
type group struct {
	links []*link
	at    int
}

// pollBatch is the most completions that one poll takes.
const pollBatch = 64

func openSession(
	r *Remote, opts kvs.SessionOptions, x SessionExtension,
) (s *session, err error) {
	s = &session{
		remote: r, opts: opts, device: r.device, wcs: make([]verbs.WC, pollBatch),
		wrs:    make([]verbs.SendWR, 0, opts.Batch),
		groups: make([]group, r.welcome.Facts.Workers),
		waits:  idle.NewBounded(idle.Policy{Spin: idle.AnswerSpin}), extension: x,
	}
	links := opts.Connections * len(s.groups)
	if s.cq, err = r.device.CreateCQ(links * answerBuffers(opts.Batch*opts.Window)); err != nil {
		return nil, err
	}
	for range opts.Connections {
		if err := s.connect(); err != nil {
			return nil, errors.Join(fmt.Errorf("connect to %s: %w", r.addr, err), s.Close())
		}
	}
	return s, nil
}

// connect gets slots at every worker.
func (s *session) connect() error {
	conn, w, err := greet(context.Background(), s.remote.addr)
	if err != nil {
		return err
	}
	sd := &sideChannel{conn: conn, watched: make(chan struct{})}
	slots := powerOfTwo(s.opts.Batch * s.opts.Window)
	request := join{Slots: slots, InOrder: s.opts.KeepOrder}
	first := len(s.links)
	for i := range s.groups {
		l, err := newLink(s, uint32(len(s.links)), i, slots)
		if err != nil {
			return errors.Join(err, conn.Close())
		}
		s.links = append(s.links, l)
		s.groups[i].links = append(s.groups[i].links, l)
		request.Links = append(request.Links, l.local())
	}
	var given slotGrant
	bytes := slots * w.SlotBytes
	if err = exchange(conn, kindJoin, request, kindSlotGrant, &given); err == nil {
		err = given.check(len(s.groups), bytes*len(s.groups))
	}
	for i, l := range s.links[first:] {
		if err == nil {
			err = l.connect(given.Links[i], given.Region.Addr+uint64(i*bytes), given.Region.RKey)
		}
	}
	if err == nil {
		err = s.extend(sd)
	}
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	s.sideChannels = append(s.sideChannels, sd)
	go sd.watch()
	return nil
}

// Submit stages a request in a list to the worker that owns its key. Where the order of a key's
// requests matters, its link depends on the key. The worker then executes a link's requests in
// order. Lost answers alone come out of order, with a GET's executed again: [kvs.Traffic] counts
// the requests sent again.
func (s *session) Submit(r *kvs.Request) (bool, error) {
	g := &s.groups[partition.PartitionOf(r.Hash, len(s.groups))]
	if s.opts.KeepOrder {
		g.at = sockets.PlaceOf(r.Key, len(g.links))
	}
	k := g.links[g.at]
	if !k.room() {
		if s.opts.KeepOrder || !g.advance() {
			return false, nil
		}
		k = g.links[g.at]
	}
	if err := k.stage(r); err != nil {
		return false, err
	}
	s.pending++
	if k.room() {
		return true, nil
	}
	if g.at++; g.at == len(g.links) {
		g.at = 0
	}
	// If the window is full, the list leaves when answers come.
	return true, k.postOpen()
}

// advance moves a group on to the next link whose list has room.
func (g *group) advance() bool {
	for range g.links {
		if g.at++; g.at == len(g.links) {
			g.at = 0
		}
		if g.links[g.at].room() {
			return true
		}
	}
	return false
}

// Flush posts the lists that are not full.
func (s *session) Flush() error {
	for _, k := range s.links {
		if k.staged() > 0 {
			if err := k.postOpen(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Poll takes answers. While it waits it first spins, then yields its CPU between looks.
func (s *session) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	if err := s.repost(); err != nil {
		return answers, err
	}
	had := len(answers)
	s.waits.Begin()
	for {
		if _, err := s.device.Progress(); err != nil {
			return answers, err
		}
		var err error
		if answers, err = s.collectExtended(answers); err != nil {
			return answers, err
		}
		if answers, err = s.collect(answers); err != nil || len(answers) > had || wait <= 0 {
			return answers, err
		}
		if !s.waits.Due() {
			continue
		}
		if err := s.overdue(s.waits.NowNs()); err != nil {
			return answers, err
		}
		left := wait - s.waits.Waited()
		if left <= 0 {
			return answers, nil
		}
		if err := s.waits.Rest(s.device, left); err != nil {
			return answers, err
		}
	}
}

// collect takes the present answers.
func (s *session) collect(answers []kvs.Answer) ([]kvs.Answer, error) {
	for {
		n, err := s.cq.Poll(s.wcs)
		if n == 0 || err != nil {
			return answers, err
		}
		now := kvs.NowNs()
		for i := range s.wcs[:n] {
			wc := &s.wcs[i]
			if answers, err = s.links[wc.ID>>32].accept(wc, now, answers); err != nil {
				return answers, err
			}
		}
		if err := s.goOn(now); err != nil || n < len(s.wcs) {
			return answers, err
		}
	}
}

// goOn posts lists that were waiting for room. From time to time it looks for overdue answers.
func (s *session) goOn(now int64) error {
	for _, k := range s.links {
		if err := k.goOn(); err != nil {
			return err
		}
	}
	return s.overdue(now)
}

// overdue repeats overdue requests, and detects a lost server.
func (s *session) overdue(now int64) error {
	if now < s.nextCheckNs {
		return nil
	}
	s.nextCheckNs = now + int64(s.remote.opts.RetryAfter)/8
	if err := s.lost(); err != nil {
		return err
	}
	for _, k := range s.links {
		if err := k.retry(now); err != nil {
			return err
		}
	}
	return nil
}

// repost posts the buffers of answers that the caller no longer needs. A list may be waiting for
// them.
func (s *session) repost() error {
	for _, k := range s.links {
		if k.reposted == k.received {
			continue
		}
		if err := k.repost(); err != nil {
			return err
		}
		if err := k.goOn(); err != nil {
			return err
		}
	}
	return nil
}

// InFlight counts staged and posted requests.
func (s *session) InFlight() int { return s.pending }

// Traffic returns the counters since the session was opened.
func (s *session) Traffic() kvs.Traffic {
	t := s.traffic
	t.SpunNs = s.waits.SpunNs()
	return t
}

// Moved returns the traffic of the side channels. The device belongs to the remote.
func (s *session) Moved() (m kvs.Moved) {
	for _, sd := range s.sideChannels {
		one := sockets.MovedBy(sd.conn)
		m.Add(&one)
	}
	return m
}

// Close gives the slots back and frees the queue pairs.
func (s *session) Close() error {
	var errs []error
	for _, sd := range s.sideChannels {
		errs = append(errs, sd.close())
	}
	for _, k := range s.links {
		errs = append(errs, k.close())
	}
	s.sideChannels, s.links = nil, nil
	return errors.Join(append(errs, s.cq.Close())...)
}

// extend asks the extension of the server over the side channel of a connection that has slots.
func (s *session) extend(sd *sideChannel) error {
	if s.extension == nil {
		return nil
	}
	question, err := s.extension.Ask()
	if err != nil {
		return err
	}
	var answer json.RawMessage
	if err := exchange(sd.conn, kindExtend, question, kindExtended, &answer); err != nil {
		return err
	}
	return s.extension.Granted(answer)
}

// collectExtended takes the extension's answers, and notices a lost server behind them.
func (s *session) collectExtended(answers []kvs.Answer) ([]kvs.Answer, error) {
	if s.extension == nil {
		return answers, nil
	}
	if err := s.lost(); err != nil {
		return answers, err
	}
	had := len(answers)
	answers, err := s.extension.Collect(answers)
	if err != nil || len(answers) == had {
		return answers, err
	}
	return answers, s.overdue(answers[had].ReceivedNs)
}

// lost returns why a connection has ended, or nil.
func (s *session) lost() error {
	for _, sd := range s.sideChannels {
		if err := sd.err(); err != nil {
			return fmt.Errorf("%s: %w, with %d requests in flight", s.remote.addr, err, s.pending)
		}
	}
	return nil
}
