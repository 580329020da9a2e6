//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
import "C"

import (
	"errors"
	"sort"
)

// findMaxInline finds how much a QP may send inline: no query tells, so it asks for QPs until one is refused.
// A datagram's work request leaves the least room, so the figure holds for all types.
func (d *Device) findMaxInline() (err error) {
	pd, errno := C.ibv_alloc_pd(d.ctx)
	if pd == nil {
		return d.fail(errno, "ibv_alloc_pd")
	}
	defer func() { err = errors.Join(err, d.check(int(C.ibv_dealloc_pd(pd)), "ibv_dealloc_pd")) }()
	cq, errno := C.ibv_create_cq(d.ctx, 1, nil, nil, 0)
	if cq == nil {
		return d.fail(errno, "ibv_create_cq (1)")
	}
	defer func() { err = errors.Join(err, d.check(int(C.ibv_destroy_cq(cq)), "ibv_destroy_cq")) }()
	// What refuses a QP without any is not the inline limit.
	if err := d.tryInline(pd, cq, 0); err != nil {
		return err
	}
	const most = 4096
	d.maxInline = sort.Search(most, func(n int) bool { return d.tryInline(pd, cq, n+1) != nil })
	return nil
}

// tryInline makes a QP and destroys it.
func (d *Device) tryInline(pd *C.struct_ibv_pd, cq *C.struct_ibv_cq, bytes int) error {
	qp, errno := C.shim_create_qp(pd, cq, cq, C.IBV_QPT_UD, 1, 1, C.uint32_t(bytes))
	if qp == nil {
		return d.fail(errno, "ibv_create_qp (UD, %d bytes inline)", bytes)
	}
	return d.check(int(C.ibv_destroy_qp(qp)), "ibv_destroy_qp")
}
