package softroce

import (
	"errors"
	"fmt"
	"sync/atomic"

	"dpukv/verbs"
	"dpukv/verbs/softroce/wire"
)

// state is the state of a QP.
type state int32

const (
	stateInit state = iota
	stateReady
	stateError
	stateClosed
)

func (s state) String() string {
	return [...]string{"not connected", "ready", "in error", "closed"}[s]
}

// qp is a queue pair.
type qp struct {
	device *device
	pd     *pd
	num    uint32
	config verbs.QPConfig
	sendCQ *cq
	recvCQ *cq
	psn    uint32 // of the first packet sent
	mtu    int
	state  atomic.Int32

	// Connect sets these.
	peer     verbs.Endpoint
	path     path
	port     *port // port of its flow label; nil: it sends from the device's own
	peerAddr [4]byte

	nextPSN uint32 // UC, UD: of the next packet sent

	receives receiveQueue
	// The rest of the receive side belongs to the holder of the device's receiver.
	expected uint32 // UC, RC: PSN of the next packet
	newest   uint32 // UC: PSN after the newest WRITE
	in       inbound
	respond  responder // RC

	request *requester // RC
}

const (
	maxQueue = 1 << 20
	maxQPs   = 1<<16 - 1
)

func newQPTable() table[qp] { return newTable[qp]("queue pair", wire.QPNBits, maxQPs) }

func (p *pd) CreateQP(config verbs.QPConfig) (verbs.QP, error) {
	sendCQ, ok1 := config.SendCQ.(*cq)
	recvCQ, ok2 := config.RecvCQ.(*cq)
	if err := checkConfig(&config); err != nil {
		return nil, err
	}
	if !ok1 || !ok2 || sendCQ.device != p.device || recvCQ.device != p.device {
		return nil, errors.New("queue pair: it needs completion queues of the same device")
	}
	q := &qp{
		device: p.device, pd: p, config: config, sendCQ: sendCQ, recvCQ: recvCQ,
		psn: random(wire.PSNBits), mtu: p.device.opts.MTU,
	}
	q.receives.ring = make([]verbs.RecvWR, config.MaxRecv)
	if config.Type == verbs.RC {
		q.request = newRequester(q)
	}
	err := p.device.change(func() (err error) {
		q.num, err = p.device.qps.add(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

func checkConfig(c *verbs.QPConfig) error {
	if err := c.CheckFlowLabel(); err != nil {
		return err
	}
	switch {
	case c.Type != verbs.UC && c.Type != verbs.UD && c.Type != verbs.RC:
		return fmt.Errorf("queue pair: found type %d: %w; allowed: UC, UD, RC", c.Type,
			verbs.ErrNotSupported)
	case c.MaxSend < 1 || c.MaxSend > maxQueue || c.MaxRecv < 0 || c.MaxRecv > maxQueue:
		return fmt.Errorf("queue pair: found queues of %d and %d, allowed: 1 (for receives 0) to "+
			"%d",
			c.MaxSend, c.MaxRecv, maxQueue)
	case c.MaxInline < 0 || c.MaxInline > maxInline:
		return fmt.Errorf("queue pair: found %d bytes inline, allowed: 0 to "+
			"%d", c.MaxInline, maxInline)
	}
	return nil
}

func (q *qp) Num() uint32        { return q.num }
func (q *qp) Type() verbs.QPType { return q.config.Type }

func (q *qp) Local() verbs.Endpoint {
	return verbs.Endpoint{
		Device: q.device.Info(), Type: q.config.Type, LinkLayer: verbs.LinkEthernet,
		GID: verbs.GIDFromAddr(q.device.opts.Addr), MTU: q.device.opts.MTU,
		QPN: q.num, PSN: q.psn, QKey: q.config.QKey,
	}
}

func (q *qp) Connect(peer verbs.Endpoint) error {
	to, from, err := q.wayTo(peer)
	if err != nil {
		return err
	}
	err = q.device.change(func() error {
		if s := state(q.state.Load()); s != stateInit {
			return fmt.Errorf("connect QP %#x: found it %s, allowed: not connected", q.num,
				s)
		}
		q.peer, q.path, q.port, q.peerAddr = peer, to, from, to.name.Addr
		q.nextPSN, q.expected, q.newest = q.psn, peer.PSN&wire.PSNMask, peer.PSN&wire.PSNMask
		q.state.Store(int32(stateReady))
		return nil
	})
	if err != nil {
		return errors.Join(err, q.device.closePort(from))
	}
	return nil
}

// wayTo returns the path to a peer, and the port that it opened for it. A UD QP has neither.
func (q *qp) wayTo(peer verbs.Endpoint) (to path, from *port, err error) {
	if q.config.Type == verbs.UD {
		return path{}, nil, nil
	}
	if err := verbs.Check(q.Local(), peer); err != nil {
		return path{}, nil, err
	}
	if label := q.config.FlowLabel; label != 0 {
		if from, err = q.device.openPort(label); err != nil {
			return path{}, nil, err
		}
	}
	if to, err = q.device.pathTo(peer, from); err != nil {
		return path{}, nil, errors.Join(err, q.device.closePort(from))
	}
	return to, from, nil
}

// Close removes the QP. Posted work requests are dropped, without completions.
func (q *qp) Close() error {
	return q.device.release(func() error {
		q.device.qps.remove(q.num, q)
		q.state.Store(int32(stateClosed))
		from := q.port
		q.port = nil
		return q.device.closePort(from)
	})
}

func (q *qp) is(s state) bool { return q.state.Load() == int32(s) }

// fail puts the QP into the error state and flushes its receives. The receiver calls it.
func (q *qp) fail(why string) bool {
	if !q.state.CompareAndSwap(int32(stateReady), int32(stateError)) {
		return false
	}
	q.device.events.Add(verbs.Event{
		Kind: "QP fatal", QPN: q.num,
		Err: fmt.Errorf("with %s: %s", q.peer, why), Serious: true,
	})
	for q.hold() {
		q.received(verbs.WCRecv, 0).Status = verbs.StatusFlushed
	}
	return true
}

// usable returns the reason why a QP takes no work requests.
func (q *qp) usable(sending bool) error {
	switch s := state(q.state.Load()); s {
	case stateClosed:
		return fmt.Errorf("QP %#x: %w", q.num, verbs.ErrClosed)
	case stateInit:
		if sending {
			return fmt.Errorf("QP %#x is not connected: call Connect before PostSend", q.num)
		}
	case stateError:
		return fmt.Errorf("QP %#x is in error: the first failed completion, or an event, has the "+
			"reason; make a new one", q.num)
	}
	return nil
}

func (q *qp) PostRecv(wrs []verbs.RecvWR) (int, error) {
	q.device.objects.RLock()
	defer q.device.objects.RUnlock()
	if err := q.usable(false); err != nil {
		return 0, err
	}
	for i := range wrs {
		s := &wrs[i].Local
		if s.Length == 0 {
			continue
		}
		if _, _, why := q.device.regions.reach(q.pd, s.LKey, s.Addr, int(s.Length),
			verbs.LocalWrite); why != noDrop {
			n, _ := q.receives.post(wrs[:i])
			return n, fmt.Errorf("receive %d of the list: %w", i, memoryError(s, why))
		}
	}
	return q.receives.post(wrs)
}

// memoryError returns the error for the memory of a work request.
func memoryError(s *verbs.SGE, why counter) error {
	what := map[counter]string{
		badRKey:        "no region of the QP's protection domain has this key",
		outOfRegion:    "the memory is not all in the region",
		noRemoteAccess: "the region was made without LocalWrite",
	}[why]
	return fmt.Errorf("local memory %#x, %d bytes, key %#x: %s", s.Addr, s.Length, s.LKey, what)
}
