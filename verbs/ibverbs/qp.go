//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// QP is a queue pair.
type QP struct {
	dev   *Device
	qp    uintptr  // C's ibv_qp
	ahs   *ahTable // of its domain
	local verbs.Endpoint

	flowLabel uint32

	// Each serves one goroutine at a time. They are made when first used.
	sends *sendList
	recvs *recvList
	depth struct{ send, recv int }
}

var qpTypes = map[verbs.QPType]int32{verbs.UC: qptUC, verbs.UD: qptUD, verbs.RC: qptRC}

// CreateQP makes a queue pair and initializes it, so that receives can be posted before the peer is
// known.
func (p *PD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	d := p.dev
	if p.pd == 0 {
		return nil, d.closed("ibv_create_qp")
	}
	typ, ok := qpTypes[cfg.Type]
	if !ok {
		return nil, fmt.Errorf("%s: QP type %d: want UC, UD or RC: %w", d.name, cfg.Type,
			verbs.ErrNotSupported)
	}
	if err := cfg.CheckFlowLabel(); err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	send, err := d.ownCQ("SendCQ", cfg.SendCQ)
	if err != nil {
		return nil, err
	}
	recv, err := d.ownCQ("RecvCQ", cfg.RecvCQ)
	if err != nil {
		return nil, err
	}
	port, err := d.Port()
	if err != nil {
		return nil, err
	}
	qp, errno := d.lib.newQP(p.pd, &ibvQPInitAttr{
		sendCQ: send, recvCQ: recv, qpType: typ, cap: ibvQPCap{
			maxSendWR: uint32(cfg.MaxSend), maxRecvWR: uint32(cfg.MaxRecv),
			maxInlineData: uint32(cfg.MaxInline),
		},
	})
	if qp == 0 {
		return nil, d.fail(errno,
			"ibv_create_qp (%s, %d sends, %d receives, %d bytes inline of at most %d)",
			cfg.Type, cfg.MaxSend, cfg.MaxRecv, cfg.MaxInline, d.maxInline)
	}
	q := &QP{dev: d, qp: qp, ahs: p.ahs, flowLabel: cfg.FlowLabel, local: verbs.Endpoint{
		Device: d.info, Type: cfg.Type, LinkLayer: port.LinkLayer, LID: port.LID,
		GIDIndex: port.GIDIndex, GID: port.GID, MTU: port.MTU,
		QPN: clib.At[ibvQP](qp).qpNum, PSN: randomPSN(), QKey: cfg.QKey,
	}}
	if err := q.initialize(); err != nil {
		clib.Call(d.lib.destroyQP, qp)
		return nil, err
	}
	q.depth.send, q.depth.recv = cfg.MaxSend, cfg.MaxRecv
	d.made.add(q)
	return q, nil
}

// randomPSN returns an unpredictable PSN.
func randomPSN() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it has no errors: without randomness the process ends
	return binary.NativeEndian.Uint32(b[:]) >> 8
}

func (d *Device) ownCQ(what string, c verbs.CQ) (uintptr, error) {
	if own, ok := c.(*CQ); ok && own.dev == d && own.cq != 0 {
		return own.cq, nil
	}
	return 0, d.foreign(what, c)
}

func (q *QP) Num() uint32           { return q.local.QPN }
func (q *QP) Type() verbs.QPType    { return q.local.Type }
func (q *QP) Local() verbs.Endpoint { return q.local }

// Close destroys the queue pair. Unfinished work requests are lost.
func (q *QP) Close() error {
	if q.qp == 0 {
		return nil
	}
	if err := q.dev.release(q.dev.lib.destroyQP, q.qp, "ibv_destroy_qp"); err != nil {
		return err
	}
	q.dev.made.remove(q)
	q.qp = 0
	if q.sends != nil {
		q.sends.pin.Unpin()
	}
	if q.recvs != nil {
		q.recvs.pin.Unpin()
	}
	return nil
}

// These are the settings of a reliable connection, in the units of the InfiniBand specification.
// They are perftest's.
const (
	ackTimeout   = 14 // 4.096 µs × 2^14 = 67 ms
	retryCount   = 7
	rnrForever   = 7  // wait for a peer without a posted receive
	rnrTimer640µ = 12 // delay that this end asks for
)

// modify changes attributes and names the step in an error.
func (q *QP) modify(step string, attr *ibvQPAttr, mask uintptr) error {
	rc := clib.Call(q.dev.lib.modifyQP, q.qp, uintptr(unsafe.Pointer(attr)), mask)
	return q.dev.check(int(int32(rc)), "ibv_modify_qp of %s QP %#x %s", q.Type(), q.Num(), step)
}

func (q *QP) initialize() error {
	attr := ibvQPAttr{qpState: qpsInit, portNum: q.dev.port}
	mask := uintptr(qpMaskState | qpMaskPkeyIndex | qpMaskPort)
	// The access of each memory region limits peers further.
	switch q.Type() {
	case verbs.UD:
		attr.qkey = q.local.QKey
		return q.modify("to INIT", &attr, mask|qpMaskQKey)
	case verbs.UC:
		attr.qpAccessFlags = accessRemoteWrite
	case verbs.RC:
		attr.qpAccessFlags = accessRemoteWrite | accessRemoteRead
	}
	return q.modify("to INIT", &attr, mask|qpMaskAccessFlags)
}

// Connect brings the queue pair to ready-to-send.
func (q *QP) Connect(peer verbs.Endpoint) error {
	if q.qp == 0 {
		return q.dev.closed("connect QP")
	}
	if q.Type() == verbs.UD {
		return q.readyDatagrams()
	}
	if err := verbs.Check(q.local, peer); err != nil {
		return err
	}
	if err := q.readyToReceive(peer); err != nil {
		return err
	}
	return q.readyToSend(peer)
}

func (q *QP) readyDatagrams() error {
	rtr := ibvQPAttr{qpState: qpsRTR}
	if err := q.modify("to RTR", &rtr, qpMaskState); err != nil {
		return err
	}
	rts := ibvQPAttr{qpState: qpsRTS, sqPSN: q.local.PSN}
	return q.modify("to RTS", &rts, qpMaskState|qpMaskSQPSN)
}

func (q *QP) readyToReceive(peer verbs.Endpoint) error {
	attr := ibvQPAttr{
		qpState: qpsRTR, pathMTU: mtuEnum(peer.MTU), destQPNum: peer.QPN, rqPSN: peer.PSN,
		ahAttr: q.dev.ahAttr(peer, q.flowLabel),
	}
	mask := uintptr(qpMaskState | qpMaskAV | qpMaskPathMTU | qpMaskDestQPN | qpMaskRQPSN)
	if q.Type() == verbs.RC {
		attr.maxDestRdAtomic, attr.minRNRTimer = q.dev.readsIn, rnrTimer640µ
		mask |= qpMaskMaxDestRdAtomic | qpMaskMinRNRTimer
	}
	return q.modify("to RTR towards "+peer.String(), &attr, mask)
}

func (q *QP) readyToSend(peer verbs.Endpoint) error {
	attr := ibvQPAttr{qpState: qpsRTS, sqPSN: q.local.PSN}
	mask := uintptr(qpMaskState | qpMaskSQPSN)
	if q.Type() == verbs.RC {
		attr.timeout, attr.retryCnt, attr.rnrRetry, attr.maxRdAtomic = ackTimeout, retryCount,
			rnrForever, q.dev.readsOut
		mask |= qpMaskTimeout | qpMaskRetryCnt | qpMaskRNRRetry | qpMaskMaxQPRdAtomic
	}
	return q.modify("to RTS towards "+peer.String(), &attr, mask)
}
