//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"fmt"
	"math/bits"
	"runtime"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// CQ is a completion queue.
type CQ struct {
	dev *Device
	cq  uintptr // C's ibv_cq

	wcs []ibvWC // pinned: C writes to it
	pin runtime.Pinner
}

func (d *Device) CreateCQ(depth int) (verbs.CQ, error) {
	if d.ctx == 0 {
		return nil, d.closed("ibv_create_cq")
	}
	cq, err := clib.CallErrno(d.lib.createCQ, d.ctx, uintptr(int32(depth)), 0, 0, 0)
	if cq == 0 {
		return nil, d.fail(err, "ibv_create_cq (depth %d)", depth)
	}
	c := &CQ{dev: d, cq: cq, wcs: make([]ibvWC, max(1, min(depth, chunk)))}
	c.pin.Pin(&c.wcs[0])
	d.made.add(c)
	return c, nil
}

// chunk is the largest number of work requests or completions that cross in one call.
const chunk = 128

// Poll takes up to len(wcs) completions, in one call into C for each chunk.
func (c *CQ) Poll(wcs []verbs.WC) (all int, err error) {
	if c.cq == 0 {
		return 0, c.dev.closed("ibv_poll_cq")
	}
	for all < len(wcs) {
		want := min(len(wcs)-all, len(c.wcs))
		// Some verbs are inline functions of the header: they call the device's own.
		poll := clib.At[ibvContext](c.dev.ctx).pollCQ
		got := int(int32(clib.Call3(poll, c.cq, uintptr(want), uintptr(unsafe.Pointer(&c.wcs[0])))))
		if got < 0 && all == 0 {
			// not an errno
			return 0, fmt.Errorf("%s: ibv_poll_cq failed with %d: the queue overran, or the "+
				"device has failed", c.dev.name, got)
		}
		for i := range max(got, 0) {
			c.wcs[i].decode(&wcs[all+i])
		}
		all += max(got, 0)
		if got < want {
			break
		}
	}
	return all, nil
}

// decode translates a completion. Of one with an error, only ID and QP are defined.
func (w *ibvWC) decode(to *verbs.WC) {
	*to = verbs.WC{ID: w.wrID, QPN: w.qpNum, Status: verbs.WCStatus(w.status)}
	if w.status != wcSuccess {
		return
	}
	to.Op = wcOp(w.opcode)
	if w.opcode&wcRecvBit == 0 {
		return
	}
	to.Bytes, to.SrcQPN = w.byteLen, w.srcQP
	if w.wcFlags&wcFlagWithImm != 0 {
		to.HasImm, to.Imm = true, bits.ReverseBytes32(w.immData)
	}
}

func wcOp(opcode int32) verbs.WCOp {
	switch opcode {
	case wcOpSend:
		return verbs.WCSend
	case wcOpRDMAWrite:
		return verbs.WCWrite
	case wcOpRDMARead:
		return verbs.WCRead
	case wcRecvBit:
		return verbs.WCRecv
	case wcRecvRDMAImm:
		return verbs.WCRecvWriteImm
	}
	return 0
}

// Close destroys the queue. QPs that use it must have been closed.
func (c *CQ) Close() error {
	if c.cq == 0 {
		return nil
	}
	if err := c.dev.release(c.dev.lib.destroyCQ, c.cq, "ibv_destroy_cq"); err != nil {
		return err
	}
	c.dev.made.remove(c)
	c.cq = 0
	c.pin.Unpin()
	return nil
}
