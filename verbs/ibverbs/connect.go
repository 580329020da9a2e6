//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
import "C"

import "dpukv/verbs"

// Numbers of a reliable connection, in the units of the InfiniBand specification. They are perftest's.
const (
	ackTimeout   = 14 // 4.096 µs × 2^14 = 67 ms
	retryCount   = 7
	rnrForever   = 7  // a peer without a posted receive is waited for
	rnrTimer640µ = 12 // how long it asks to be left alone
)

// modify changes attributes and says in an error which step it was.
func (q *QP) modify(step string, attr *C.struct_ibv_qp_attr, mask C.int) error {
	return q.dev.check(int(C.ibv_modify_qp(q.qp, attr, mask)), "ibv_modify_qp of %s QP %#x %s", q.Type(), q.Num(), step)
}

func (q *QP) initialize() error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_INIT, port_num: q.dev.port}
	mask := C.int(C.IBV_QP_STATE | C.IBV_QP_PKEY_INDEX | C.IBV_QP_PORT)
	// What a peer may really touch is up to each memory region.
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
		dest_qp_num: C.uint32_t(peer.QPN), rq_psn: C.uint32_t(peer.PSN), ah_attr: q.dev.ahAttr(peer, q.flowLabel),
	}
	mask := C.int(C.IBV_QP_STATE | C.IBV_QP_AV | C.IBV_QP_PATH_MTU | C.IBV_QP_DEST_QPN | C.IBV_QP_RQ_PSN)
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
		attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.max_rd_atomic = ackTimeout, retryCount, rnrForever, q.dev.readsOut
		mask |= C.IBV_QP_TIMEOUT | C.IBV_QP_RETRY_CNT | C.IBV_QP_RNR_RETRY | C.IBV_QP_MAX_QP_RD_ATOMIC
	}
	return q.modify("to RTS towards "+peer.String(), &attr, mask)
}
