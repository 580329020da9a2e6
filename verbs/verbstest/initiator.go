package verbstest

import (
	"bytes"
	"fmt"

	"dpukv/verbs"
)

// operate posts the operation and waits for its completion.
func (s *side) operate() error {
	if s.Op != verbs.OpRead {
		for i := range s.Count {
			s.fill(s.place(i), i)
		}
	}
	wrs, err := s.workRequests()
	if err != nil {
		return err
	}
	if n, err := s.qp.PostSend(wrs); n != len(wrs) || err != nil {
		return fmt.Errorf("PostSend took %d of %d: %w", n, len(wrs), err)
	}
	if s.Inline { // the memory belongs to the sender again
		s.poisonMemory()
	}
	if err := s.checkCompletion(); err != nil || s.Op != verbs.OpRead || s.Fault != noFault {
		return err
	}
	return s.verify()
}

func (s *side) workRequests() ([]verbs.SendWR, error) {
	wrs := make([]verbs.SendWR, s.Count)
	for i := range wrs {
		wrs[i] = verbs.SendWR{
			ID: uint64(1000 + i), Op: s.Op, Local: s.sge(i, s.Size), Imm: s.imm(i),
			Remote: s.peer.Region.Addr + uint64(i*s.stride), RKey: s.peer.Region.RKey,
			QPN: s.peer.Endpoint.QPN, QKey: s.peer.Endpoint.QKey,
		}
		if s.Inline {
			wrs[i].Flags |= verbs.Inline
		}
	}
	wrs[s.Count-1].Flags |= verbs.Signaled // it covers those before it
	s.spoil(&wrs[0])
	if s.Type != verbs.UD {
		return wrs, nil
	}
	ah, err := s.pd.CreateAH(s.peer.Endpoint)
	if err != nil {
		return nil, err
	}
	s.ah = ah
	for i := range wrs {
		wrs[i].AH = ah.Handle()
	}
	return wrs, nil
}

// spoil applies the case's fault.
func (s *side) spoil(wr *verbs.SendWR) {
	switch s.Fault {
	case badRKey:
		wr.RKey ^= 0x00ffff00
	case outOfRange:
		wr.Remote += uint64(s.peer.Region.Length - s.Size + 1)
	case badQKey:
		wr.QKey ^= 1
	}
}

// completionOps maps sends to the operations of their completions.
var completionOps = map[verbs.SendOp]verbs.WCOp{
	verbs.OpWrite: verbs.WCWrite, verbs.OpWriteImm: verbs.WCWrite,
	verbs.OpSend: verbs.WCSend, verbs.OpSendImm: verbs.WCSend, verbs.OpRead: verbs.WCRead,
}

func (s *side) checkCompletion() error {
	ok, err := s.poll(1, stepTimeout)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("no completion within %v; counters: %v", stepTimeout, s.dev.Counters())
	}
	wc, want := s.wcs[0], verbs.StatusSuccess
	if s.Fault != noFault && s.Type == verbs.RC {
		want = verbs.StatusRemoteAccess
	}
	if len(s.wcs) != 1 || wc.Status != want || wc.ID != uint64(999+s.Count) ||
		wc.QPN != s.qp.Num() {
		return fmt.Errorf("completions %+v: want one of ID %d on QP %#x: %s", s.wcs, 999+s.Count,
			s.qp.Num(), want)
	}
	if want == verbs.StatusSuccess && wc.Op != completionOps[s.Op] {
		return fmt.Errorf("completion %+v: want operation %d", wc, completionOps[s.Op])
	}
	return nil
}

// verify compares every message with the sent one.
func (s *side) verify() error {
	want := make([]byte, s.Size)
	for i := range s.Count {
		s.fill(want, i)
		if err := same(s.place(i), want); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	return nil
}

func same(got, want []byte) error {
	if bytes.Equal(got, want) {
		return nil
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("byte %d of %d is %#x, want %#x", i, len(want), got[i], want[i])
		}
	}
	return fmt.Errorf("%d bytes, want %d", len(got), len(want))
}
