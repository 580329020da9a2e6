package verbstest

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

const (
	// stepTimeout is the time limit of any step. Virtual machines with one CPU are slow.
	stepTimeout = 10 * time.Second
	// drain is how long a message of an unreliable service may be on its way after it was sent.
	drain = 500 * time.Millisecond

	qkey   = 0x22222222
	poison = 0xee // content of memory where nothing arrived
)

// side is one end of one case.
type side struct {
	testCase
	dev    verbs.Device
	ch     *sidechannel.Channel
	pd     verbs.PD
	cq     verbs.CQ
	qp     verbs.QP
	mr     verbs.MR
	ah     verbs.AH // UD, if this end sends
	stride int
	peer   introduction
	wcs    []verbs.WC
}

// introduction is the information that the two ends exchange at the start.
type introduction struct {
	Endpoint verbs.Endpoint
	Region   verbs.Region
	Error    string // why there is no endpoint
}

// open creates all objects and connects. It reports its error to the peer, too.
func open(dev verbs.Device, ch *sidechannel.Channel, c testCase, initiator bool) (*side, error) {
	s := &side{testCase: c, dev: dev, ch: ch, stride: (c.Size + verbs.GRHBytes + 63) &^ 63}
	makeErr := s.create(initiator)
	mine := introduction{}
	if makeErr != nil {
		mine.Error = makeErr.Error()
	} else {
		mine.Endpoint, mine.Region = s.qp.Local(), s.mr.Region()
	}
	var err error
	if s.peer, err = sidechannel.SwapWith(ch, mine, s.progress); err != nil {
		return s, err
	}
	if makeErr != nil || s.peer.Error != "" {
		return s, errors.Join(makeErr, peerError(s.peer.Error))
	}
	connectErr := s.connect()
	text := ""
	if connectErr != nil {
		text = connectErr.Error()
	}
	theirs, err := sidechannel.SwapWith(ch, text, s.progress)
	return s, errors.Join(connectErr, err, peerError(theirs))
}

func peerError(text string) error {
	if text == "" {
		return nil
	}
	return fmt.Errorf("the peer: %s", text)
}

func (s *side) create(initiator bool) (err error) {
	if s.pd, err = s.dev.AllocPD(); err != nil {
		return err
	}
	if s.cq, err = s.dev.CreateCQ(2*s.Count + 2); err != nil {
		return err
	}
	access := verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead
	if s.Fault == noPermission && !initiator {
		access = verbs.LocalWrite
	}
	if s.mr, err = s.pd.AllocMR(s.stride*s.Count, access); err != nil {
		return err
	}
	inline := 0
	if s.Inline {
		inline = s.Size
	}
	s.qp, err = s.pd.CreateQP(verbs.QPConfig{
		Type: s.Type, SendCQ: s.cq, RecvCQ: s.cq, MaxSend: s.Count, MaxRecv: s.Count,
		MaxInline: inline, QKey: qkey,
	})
	if err != nil {
		return err
	}
	s.poisonMemory()
	if initiator {
		return nil
	}
	return s.prepareTarget()
}

func (s *side) poisonMemory() {
	for b, i := s.mr.Bytes(), 0; i < len(b); i++ {
		b[i] = poison
	}
}

func (s *side) connect() error {
	if err := verbs.Check(s.qp.Local(), s.peer.Endpoint); err != nil {
		return err
	}
	return s.qp.Connect(s.peer.Endpoint)
}

func (s *side) close() error { return verbs.Close(s.qp, s.ah, s.mr, s.cq, s.pd) }

// place returns the memory of message i.
func (s *side) place(i int) []byte { return s.mr.Bytes()[i*s.stride:][:s.Size] }

func (s *side) sge(i, length int) verbs.SGE {
	return verbs.SGE{
		Addr: s.mr.Addr() + uint64(i*s.stride), Length: uint32(length),
		LKey: s.mr.LKey(),
	}
}

// progress moves packets, or yields.
func (s *side) progress() (busy bool, err error) {
	return verbs.Rest(s.dev, 100*time.Microsecond)
}

// poll waits until there are n completions in wcs. It reports whether they came in time.
func (s *side) poll(n int, within time.Duration) (bool, error) {
	deadline := time.Now().Add(within)
	for {
		var batch [16]verbs.WC
		got, err := s.cq.Poll(batch[:])
		if err != nil {
			return false, err
		}
		s.wcs = append(s.wcs, batch[:got]...)
		if len(s.wcs) >= n {
			return true, nil
		}
		if time.Now().After(deadline) {
			return false, nil
		}
		if _, err := s.progress(); err != nil {
			return false, err
		}
	}
}
