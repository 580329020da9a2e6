package herd

import (
	"errors"
	"fmt"

	"dpukv/kvs"
	"dpukv/verbs"
)

// link connects one connection to one worker: a UC queue pair for requests, a UD queue pair for
// answers. Requests are numbered, and number n goes into slot n mod slots. Requests from oldest on
// have no answer yet, except for some after lost answers. Requests from posted on are staged. next
// is the number of the next request.
//
//	oldest           posted       next
//	  | in flight …    | staged …   | free
type link struct {
	session              *session
	oldest, posted, next uint32
	slots, entries       uint32 // powers of two
	batch, limit         uint32

	uc, ud verbs.QP
	sends  sends
	// Entry n mod entries is the staged request n. It is kept until its answer, and until its
	// repeats have left: see stage.
	staging   verbs.MR
	bytes     []byte // of staging
	stagedAt  uint64 // address of entry 0
	pending   []pendingRequest
	slotsAt   uint64 // address of slot 0 at the server
	slotBytes int
	write     verbs.SendWR // template of a request's WRITE
	inline    int
	maxValue  int
	whole     int // longer requests have a check word
	// repeated counts the sends up to the last repeat whose payload the device reads when it sends.
	repeated uint64

	answerer uint32 // the worker's UD queue pair
	receives
}

// pendingRequest is the state of a request until its answer.
type pendingRequest struct {
	cookie     uint64
	intendedNs int64
	sentNs     int64  // first attempt
	bytes      uint16 // of the request
	attempts   uint16 // number of repetitions
	op         kvs.Op
	answered   bool
}

// overdueNs returns how long after its first attempt a request is due for another one.
func (n *pendingRequest) overdueNs(first int64) int64 {
	const doublings = 4
	if n.attempts <= doublings {
		return first<<(n.attempts+1) - first
	}
	return first<<(doublings+1) - first + int64(n.attempts-doublings)*first<<doublings
}

func newLink(s *session, number uint32, worker, slots int) (l *link, err error) {
	r := s.remote
	limit := s.opts.Batch * s.opts.Window
	entries := powerOfTwo(limit + s.opts.Batch)
	l = &link{
		session: s, slots: uint32(slots), entries: uint32(entries),
		batch: uint32(s.opts.Batch), limit: uint32(limit), slotBytes: r.welcome.SlotBytes,
		pending: make([]pendingRequest, entries),
		inline:  min(r.port.MaxInline, r.welcome.SlotBytes), maxValue: r.welcome.MaxValue,
		whole: r.wholeBytes(),
	}
	// This skips the lap of sequences 0 …: 0 marks an empty slot.
	l.oldest, l.posted, l.next = l.slots, l.slots, l.slots
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if l.staging, err = r.pd.AllocMR(entries*l.slotBytes, 0); err != nil {
		return nil, err
	}
	l.bytes, l.stagedAt = l.staging.Bytes(), l.staging.Addr()
	depth := entries + 2*signalEvery
	cq, err := r.device.CreateCQ(depth)
	if err != nil {
		return nil, err
	}
	l.uc, err = r.pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: cq, RecvCQ: cq, MaxSend: depth, MaxInline: l.inline,
		FlowLabel: FlowLabel(worker),
	})
	if err != nil {
		return nil, err
	}
	// All links gather their lists in one place, which thereby stays in the cache.
	l.sends = sends{
		qp: l.uc, cq: cq, device: r.device, depth: uint64(depth - signalEvery),
		wrs: s.wrs,
	}
	return l, l.makeReceives(number)
}

func (l *link) local() endpoint { return endpoint{UC: l.uc.Local(), UD: l.ud.Local()} }

// connect connects the link to its worker and to its slots there.
func (l *link) connect(peer endpoint, slots uint64, rkey uint32) error {
	if err := checkEnds(l.local(), peer); err != nil {
		return err
	}
	l.write = verbs.SendWR{Op: verbs.OpWrite, RKey: rkey, Local: verbs.SGE{LKey: l.staging.LKey()}}
	l.slotsAt, l.answerer = slots, peer.UD.QPN
	return l.uc.Connect(peer.UC)
}

func (l *link) staged() uint32 { return l.next - l.posted }

// room reports whether the list has room for another request.
func (l *link) room() bool { return l.staged() < l.batch }

// open reports whether the list may leave: the window has room for it, and every answer has a
// buffer. The device drops a datagram without a buffer, which costs a time-out.
func (l *link) open() bool {
	inFlight := l.next - l.oldest
	return inFlight <= l.limit && inFlight+l.received-l.reposted <= uint32(len(l.recvs))
}

// stage puts a request into the list. The list has room. The answer may have come to an attempt
// before the last one. So the repeats must have left before the device finds another request there.
func (l *link) stage(r *kvs.Request) error {
	if l.repeated > l.sends.completed {
		if err := l.sends.await(l.repeated); err != nil {
			return err
		}
	}
	value := r.Value
	if r.Op == kvs.Get || r.Op == kvs.Delete {
		value = nil
	}
	if requestBytes(len(r.Key), len(value), l.whole) > l.slotBytes || len(value) > l.maxValue ||
		len(r.Key) == 0 {
		return l.refuse(r, value)
	}
	i := l.next & (l.entries - 1)
	at := int(i) * l.slotBytes
	n := putRequest(l.bytes[at:at+l.slotBytes:at+l.slotBytes], l.next, r, value, l.whole)
	note := &l.pending[i] // field by field: see accept
	note.cookie, note.intendedNs, note.op = r.Cookie, r.IntendedNs, r.Op
	note.bytes, note.attempts, note.answered = uint16(n), 0, false
	l.next++
	return nil
}

// add adds the WRITE of a staged request to the list to post.
func (l *link) add(sequence uint32) *pendingRequest {
	i := sequence & (l.entries - 1)
	note := &l.pending[i]
	n := len(l.sends.wrs)
	l.sends.wrs = l.sends.wrs[:n+1]
	wr := &l.sends.wrs[n]
	*wr = l.write
	before := uint64(l.slotBytes) - uint64(note.bytes) // a request lies at the end
	wr.Local.Addr = l.stagedAt + uint64(i)*uint64(l.slotBytes) + before
	wr.Local.Length = uint32(note.bytes)
	wr.Remote = l.slotsAt + uint64(sequence&(l.slots-1))*uint64(l.slotBytes) + before
	if int(note.bytes) <= l.inline {
		wr.Flags = verbs.Inline
	}
	l.sends.sign(wr)
	l.session.traffic.SentBytes += uint64(note.bytes)
	return note
}

func (l *link) refuse(r *kvs.Request, value []byte) error {
	if len(r.Key) == 0 {
		return fmt.Errorf("key of a %s: found 0 bytes, allowed: 1 or more", r.Op)
	}
	return l.session.remote.welcome.checkSizes(r.Op, len(r.Key), len(value), l.whole)
}

// post sends the list.
func (l *link) post() error {
	now := kvs.NowNs()
	for ; l.posted != l.next; l.posted++ {
		l.add(l.posted).sentNs = now
	}
	l.session.traffic.Frames++
	return l.sends.flush()
}

// postOpen sends the list if the window allows, full or not. The caller no longer needs the answers
// it has.
func (l *link) postOpen() error {
	if !l.open() && l.reposted != l.received {
		if err := l.repost(); err != nil {
			return err
		}
	}
	if !l.open() {
		return nil
	}
	return l.post()
}

// goOn sends the list if it is full and was waiting.
func (l *link) goOn() error {
	if l.room() || !l.open() {
		return nil
	}
	return l.post()
}

// retry repeats overdue requests, with another attempt in their control words.
func (l *link) retry(now int64) error {
	for n := l.oldest; n != l.posted; n++ {
		i := n & (l.entries - 1)
		note := &l.pending[i]
		if note.answered ||
			now < note.sentNs+note.overdueNs(int64(l.session.remote.opts.RetryAfter)) {
			continue
		}
		note.attempts++
		word := l.control(i)
		*word = word.again()
		l.session.traffic.Retries++
		if l.add(n); int(note.bytes) > l.inline {
			l.sends.signLast()
			l.repeated = l.sends.signed
		}
		if err := l.sends.flush(); err != nil {
			return err
		}
	}
	return nil
}

// close frees the link's resources, whatever its state.
func (l *link) close() error {
	return verbs.Close(l.uc, l.ud, l.sends.cq, l.staging, l.buffers)
}
