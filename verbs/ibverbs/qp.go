//go:build ibverbs && linux

package ibverbs

// #cgo noescape shim_post_send
// #cgo nocallback shim_post_send
// #cgo noescape shim_post_recv
// #cgo nocallback shim_post_recv
// #include "shim.h"
import "C"

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"unsafe"

	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// QP is a queue pair.
type QP struct {
	dev   *Device
	qp    *C.struct_ibv_qp
	ahs   *C.struct_shim_ahs // of its domain, which outlives it
	local verbs.Endpoint

	flowLabel uint32
}

var qpTypes = map[verbs.QPType]C.int{
	verbs.UC: C.IBV_QPT_UC, verbs.UD: C.IBV_QPT_UD,
	verbs.RC: C.IBV_QPT_RC,
}

// CreateQP makes a queue pair and initializes it, so that receives can be posted before the peer is
// known.
func (p *PD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	d := p.dev
	if p.pd == nil {
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
	qp, errno := C.shim_create_qp(p.pd, send, recv, typ, C.uint32_t(cfg.MaxSend),
		C.uint32_t(cfg.MaxRecv), C.uint32_t(cfg.MaxInline))
	if qp == nil {
		return nil, d.fail(errno,
			"ibv_create_qp (%s, %d sends, %d receives, %d bytes inline of at most %d)",
			cfg.Type, cfg.MaxSend, cfg.MaxRecv, cfg.MaxInline, d.maxInline)
	}
	q := &QP{dev: d, qp: qp, ahs: p.ahs, flowLabel: cfg.FlowLabel, local: verbs.Endpoint{
		Device: d.info, Type: cfg.Type, LinkLayer: port.LinkLayer, LID: port.LID,
		GIDIndex: port.GIDIndex, GID: port.GID, MTU: port.MTU,
		QPN: uint32(qp.qp_num), PSN: randomPSN(), QKey: cfg.QKey,
	}}
	if err := q.initialize(); err != nil {
		C.ibv_destroy_qp(qp)
		return nil, err
	}
	d.made.add(q)
	return q, nil
}

// randomPSN returns an unpredictable PSN.
func randomPSN() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it has no errors: without randomness the process ends
	return binary.NativeEndian.Uint32(b[:]) >> 8
}

func (d *Device) ownCQ(what string, c verbs.CQ) (*C.struct_ibv_cq, error) {
	if own, ok := c.(*CQ); ok && own.dev == d && own.cq != nil {
		return own.cq, nil
	}
	return nil, d.foreign(what, c)
}

// Num is the queue pair's number.
func (q *QP) Num() uint32 { return q.local.QPN }

// Type is the transport service.
func (q *QP) Type() verbs.QPType { return q.local.Type }

// Local describes the queue pair to a peer.
func (q *QP) Local() verbs.Endpoint { return q.local }

// Close destroys the queue pair. Unfinished work requests are lost.
func (q *QP) Close() error {
	if q.qp == nil {
		return nil
	}
	if err := q.dev.check(int(C.ibv_destroy_qp(q.qp)), "ibv_destroy_qp"); err != nil {
		return err
	}
	q.dev.made.remove(q)
	q.qp = nil
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
func (q *QP) modify(step string, attr *C.struct_ibv_qp_attr, mask C.int) error {
	return q.dev.check(int(C.ibv_modify_qp(q.qp, attr, mask)), "ibv_modify_qp of %s QP %#x %s",
		q.Type(), q.Num(), step)
}

func (q *QP) initialize() error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_INIT, port_num: q.dev.port}
	mask := C.int(C.IBV_QP_STATE | C.IBV_QP_PKEY_INDEX | C.IBV_QP_PORT)
	// The access of each memory region limits peers further.
	switch q.Type() {
	case verbs.UD:
		attr.qkey = C.uint32_t(q.local.QKey)
		return q.modify("to INIT", &attr, mask|C.IBV_QP_QKEY)
	case verbs.UC:
		attr.qp_access_flags = C.IBV_ACCESS_REMOTE_WRITE
	case verbs.RC:
		attr.qp_access_flags = C.IBV_ACCESS_REMOTE_WRITE | C.IBV_ACCESS_REMOTE_READ
	}
	return q.modify("to INIT", &attr, mask|C.IBV_QP_ACCESS_FLAGS)
}

// Connect brings the queue pair to ready-to-send.
func (q *QP) Connect(peer verbs.Endpoint) error {
	if q.qp == nil {
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
	rtr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_RTR}
	if err := q.modify("to RTR", &rtr, C.IBV_QP_STATE); err != nil {
		return err
	}
	rts := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_RTS, sq_psn: C.uint32_t(q.local.PSN)}
	return q.modify("to RTS", &rts, C.IBV_QP_STATE|C.IBV_QP_SQ_PSN)
}

func (q *QP) readyToReceive(peer verbs.Endpoint) error {
	attr := C.struct_ibv_qp_attr{
		qp_state: C.IBV_QPS_RTR, path_mtu: uint32(mtuEnum(peer.MTU)),
		dest_qp_num: C.uint32_t(peer.QPN), rq_psn: C.uint32_t(peer.PSN),
		ah_attr: q.dev.ahAttr(peer, q.flowLabel),
	}
	mask := C.int(C.IBV_QP_STATE | C.IBV_QP_AV | C.IBV_QP_PATH_MTU |
		C.IBV_QP_DEST_QPN | C.IBV_QP_RQ_PSN)
	if q.Type() == verbs.RC {
		attr.max_dest_rd_atomic, attr.min_rnr_timer = q.dev.readsIn, rnrTimer640µ
		mask |= C.IBV_QP_MAX_DEST_RD_ATOMIC | C.IBV_QP_MIN_RNR_TIMER
	}
	return q.modify("to RTR towards "+peer.String(), &attr, mask)
}

func (q *QP) readyToSend(peer verbs.Endpoint) error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_RTS, sq_psn: C.uint32_t(q.local.PSN)}
	mask := C.int(C.IBV_QP_STATE | C.IBV_QP_SQ_PSN)
	if q.Type() == verbs.RC {
		attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.max_rd_atomic = ackTimeout, retryCount,
			rnrForever, q.dev.readsOut
		mask |= C.IBV_QP_TIMEOUT | C.IBV_QP_RETRY_CNT | C.IBV_QP_RNR_RETRY |
			C.IBV_QP_MAX_QP_RD_ATOMIC
	}
	return q.modify("to RTS towards "+peer.String(), &attr, mask)
}

// PostSend posts a whole list in one call into C.
func (q *QP) PostSend(wrs []verbs.SendWR) (int, error) {
	if q.qp == nil {
		return 0, q.dev.closed("ibv_post_send")
	}
	if len(wrs) == 0 {
		return 0, nil
	}
	done := C.shim_post_send(q.qp, q.ahs, (*C.struct_shim_send_wr)(unsafe.Pointer(&wrs[0])),
		C.int(len(wrs)))
	return int(done.n), q.postError(done, "ibv_post_send", len(wrs))
}

// PostRecv posts a whole list in one call into C.
func (q *QP) PostRecv(wrs []verbs.RecvWR) (int, error) {
	if q.qp == nil {
		return 0, q.dev.closed("ibv_post_recv")
	}
	if len(wrs) == 0 {
		return 0, nil
	}
	done := C.shim_post_recv(q.qp, (*C.struct_shim_recv_wr)(unsafe.Pointer(&wrs[0])),
		C.int(len(wrs)))
	return int(done.n), q.postError(done, "ibv_post_recv", len(wrs))
}

// postError names the refused work request of a list. Drivers return ENOMEM if a queue has no room.
func (q *QP) postError(done C.struct_shim_posted, op string, n int) error {
	switch done.error {
	case 0:
		return nil
	case C.int(unix.ENOMEM):
		return fmt.Errorf("%s: %s on %s QP %#x: %d of %d taken: %w", q.dev.name, op, q.Type(),
			q.Num(), int(done.n), n, verbs.ErrQueueFull)
	}
	return q.dev.check(int(done.error), "%s of work request %d of %d on %s QP %#x", op,
		int(done.n)+1, n, q.Type(), q.Num())
}
