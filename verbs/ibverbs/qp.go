//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
import "C"

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"dpukv/verbs"
)

// QP is a queue pair.
type QP struct {
	dev   *Device
	qp    *C.struct_ibv_qp
	ahs   *C.struct_shim_ahs // of its domain, which outlives it
	local verbs.Endpoint

	flowLabel uint32
}

var qpTypes = map[verbs.QPType]C.int{verbs.UC: C.IBV_QPT_UC, verbs.UD: C.IBV_QPT_UD, verbs.RC: C.IBV_QPT_RC}

// CreateQP makes a queue pair and initializes it, so that receives can be posted before a peer is known.
func (p *PD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	d := p.dev
	if p.pd == nil {
		return nil, d.closed("ibv_create_qp")
	}
	typ, ok := qpTypes[cfg.Type]
	if !ok {
		return nil, fmt.Errorf("%s: QP type %d: want UC, UD or RC: %w", d.name, cfg.Type, verbs.ErrNotSupported)
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
	qp, errno := C.shim_create_qp(p.pd, send, recv, typ, C.uint32_t(cfg.MaxSend), C.uint32_t(cfg.MaxRecv), C.uint32_t(cfg.MaxInline))
	if qp == nil {
		return nil, d.fail(errno, "ibv_create_qp (%s, %d sends, %d receives, %d bytes inline of at most %d)",
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

// randomPSN is one that nobody can guess.
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

// Type is its transport service.
func (q *QP) Type() verbs.QPType { return q.local.Type }

// Local is what a peer needs to reach it.
func (q *QP) Local() verbs.Endpoint { return q.local }

// Close destroys the queue pair. Work requests that it has not done are gone.
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
