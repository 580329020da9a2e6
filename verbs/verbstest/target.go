package verbstest

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
)

// errLost is the permitted failure of an unreliable service.
var errLost = errors.New("a message did not arrive")

// prepareTarget does the preparations before the peer may start.
func (s *side) prepareTarget() error {
	switch {
	case s.Op == verbs.OpRead:
		for i := range s.Count {
			s.fill(s.place(i), i)
		}
	case s.received():
		return s.postReceives()
	}
	return nil
}

// postReceives posts a receive for every message. A datagram's receive has room for its header
// before it.
func (s *side) postReceives() error {
	wrs := make([]verbs.RecvWR, s.Count)
	for i := range wrs {
		wrs[i] = verbs.RecvWR{ID: uint64(2000 + i), Local: s.sge(i, s.stride)}
	}
	if n, err := s.qp.PostRecv(wrs); n != len(wrs) || err != nil {
		return fmt.Errorf("PostRecv took %d of %d: %w", n, len(wrs), err)
	}
	return nil
}

// judge checks the result of the initiator's operation.
func (s *side) judge() error {
	switch {
	case s.Fault != noFault:
		return s.untouched()
	case s.Op == verbs.OpRead:
		return nil // the initiator has checked
	case s.received():
		return s.judgeReceives()
	}
	deadline := time.Now().Add(drain)
	for {
		err := s.verify()
		if err == nil || s.Type == verbs.RC { // acknowledged means arrived
			return err
		}
		if time.Now().After(deadline) {
			return s.lostOrWrong(err)
		}
		if _, err := s.progress(); err != nil {
			return err
		}
	}
}

// lostOrWrong tells a message that did not arrive, or only in part, from one that arrived wrong.
func (s *side) lostOrWrong(err error) error {
	want := make([]byte, s.Size)
	for i := range s.Count {
		s.fill(want, i)
		for j, b := range s.place(i) {
			if b != want[j] && b != poison {
				return err
			}
		}
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// untouched checks memory and queues after a fault: nothing may have changed.
func (s *side) untouched() error {
	if _, err := s.poll(1, drain/5); err != nil {
		return err
	}
	for _, wc := range s.wcs {
		if wc.Status == verbs.StatusSuccess {
			return fmt.Errorf("%s was received: %+v", s.Fault, wc)
		}
	}
	if s.Op == verbs.OpRead {
		return nil
	}
	for i, b := range s.mr.Bytes() {
		if b != poison {
			return fmt.Errorf("%s: byte %d of the region became %#x", s.Fault, i, b)
		}
	}
	return nil
}

func (s *side) judgeReceives() error {
	within := drain
	if s.Type == verbs.RC {
		within = stepTimeout
	}
	if ok, err := s.poll(s.Count, within); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("%w: %d of %d received; counters: %v", errLost, len(s.wcs), s.Count,
			s.dev.Counters())
	}
	for i, wc := range s.wcs {
		if err := s.judgeReceive(i, wc); err != nil {
			return fmt.Errorf("completion %d: %w: %+v", i, err, wc)
		}
	}
	if !s.written() {
		return nil
	}
	return s.verify()
}

// judgeReceive checks receive i: messages arrive in the order in which they were sent.
func (s *side) judgeReceive(i int, wc verbs.WC) error {
	op, header := verbs.WCRecv, 0
	if s.written() {
		op = verbs.WCRecvWriteImm
	}
	if s.Type == verbs.UD {
		header = verbs.GRHBytes
	}
	switch {
	case wc.Status != verbs.StatusSuccess:
		return fmt.Errorf("status %s", wc.Status)
	case wc.ID != uint64(2000+i) || wc.Op != op || wc.QPN != s.qp.Num():
		return fmt.Errorf("want ID %d, operation %d, QP %#x", 2000+i, op, s.qp.Num())
	case wc.HasImm != s.hasImm() || wc.HasImm && wc.Imm != s.imm(i):
		return fmt.Errorf("want immediate %#x: %t", s.imm(i), s.hasImm())
	case s.Type == verbs.UD && wc.SrcQPN != s.peer.Endpoint.QPN:
		return fmt.Errorf("want source QP %#x", s.peer.Endpoint.QPN)
	case int(wc.Bytes) != s.Size+header:
		return fmt.Errorf("%d bytes, want %d", wc.Bytes, s.Size+header)
	case s.written():
		return nil
	}
	want := make([]byte, s.Size)
	s.fill(want, i)
	return same(s.mr.Bytes()[i*s.stride+header:][:s.Size], want)
}
