//go:build ibverbs && linux

package ibverbs

// #cgo noescape shim_poll
// #cgo nocallback shim_poll
// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"dpukv/verbs"
)

// CQ is a completion queue.
type CQ struct {
	dev *Device
	cq  *C.struct_ibv_cq
}

// CreateCQ makes a completion queue.
func (d *Device) CreateCQ(depth int) (verbs.CQ, error) {
	if d.ctx == nil {
		return nil, d.closed("ibv_create_cq")
	}
	cq, err := C.ibv_create_cq(d.ctx, C.int(depth), nil, nil, 0)
	if cq == nil {
		return nil, d.fail(err, "ibv_create_cq (depth %d)", depth)
	}
	c := &CQ{dev: d, cq: cq}
	d.made.add(c)
	return c, nil
}

// Poll takes up to len(wcs) completions in one call into C.
func (c *CQ) Poll(wcs []verbs.WC) (int, error) {
	if c.cq == nil {
		return 0, c.dev.closed("ibv_poll_cq")
	}
	if len(wcs) == 0 {
		return 0, nil
	}
	n := C.shim_poll(c.cq, (*C.struct_shim_wc)(unsafe.Pointer(&wcs[0])), C.int(len(wcs)))
	if n < 0 {
		// not an errno
		return 0, fmt.Errorf("%s: ibv_poll_cq failed with %d: the queue overran, or the device "+
			"has failed", c.dev.name, n)
	}
	return int(n), nil
}

// Close destroys the queue. QPs that use it must have been closed.
func (c *CQ) Close() error {
	if c.cq == nil {
		return nil
	}
	if err := c.dev.check(int(C.ibv_destroy_cq(c.cq)), "ibv_destroy_cq"); err != nil {
		return err
	}
	c.dev.made.remove(c)
	c.cq = nil
	return nil
}
