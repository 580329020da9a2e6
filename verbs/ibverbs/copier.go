//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// Copier copies memory of this machine by the DMA engine of an mlx5 device: a BlueField-2 or later,
// whose driver has mlx5dv_wr_memcpy. One goroutine uses it.
//
// A queue pair that is connected to itself takes the copies. Memory has to be registered first. The
// engine reaches what the device may register here; a host's memory is not registered on a DPU.
type Copier struct {
	dev      *Device
	own      *copierLibrary
	pd       uintptr // C's ibv_pd
	channel  uintptr // C's ibv_comp_channel; 0: completions are polled
	cq, qp   uintptr
	qpx, mlx uintptr  // C's ibv_qp_ex and mlx5dv_qp_ex of the queue pair
	ex       *ibvQPEx // in qpx
	maxBytes int
	patience time.Duration // for one copy
	regions  []uintptr     // C's ibv_mr
	wcs      []ibvWC       // pinned: C writes to it
	pin      runtime.Pinner
}

// copierLibrary has the functions that only copies need.
type copierLibrary struct {
	createChannel, destroyChannel uintptr
	getCQEvent, ackCQEvents       uintptr
	qpToQPEx                      uintptr
	queryDevice, createQP         uintptr // of libmlx5, as the next
	qpExFrom                      uintptr
}

// mlx5Soname is the name of mlx5's driver library for the dynamic linker.
const mlx5Soname = "libmlx5.so.1"

func loadCopier(verbsName, mlx5Name string) (*copierLibrary, error) {
	l := &copierLibrary{}
	for _, of := range []struct {
		library   string
		functions map[string]*uintptr
	}{
		{verbsName, map[string]*uintptr{
			"ibv_create_comp_channel":  &l.createChannel,
			"ibv_destroy_comp_channel": &l.destroyChannel,
			"ibv_get_cq_event":         &l.getCQEvent, "ibv_ack_cq_events": &l.ackCQEvents,
			"ibv_qp_to_qp_ex": &l.qpToQPEx,
		}},
		{mlx5Name, map[string]*uintptr{
			"mlx5dv_query_device": &l.queryDevice, "mlx5dv_create_qp": &l.createQP,
			"mlx5dv_qp_ex_from_ibv_qp_ex": &l.qpExFrom,
		}},
	} {
		c, err := clib.Open(of.library)
		if err != nil {
			return nil, fmt.Errorf("DMA engine of mlx5: found no %s: %w: apt-get install "+
				"ibverbs-providers: %w", of.library, err, verbs.ErrNotSupported)
		}
		for function, addr := range of.functions {
			if *addr, err = c.Symbol(function); err != nil {
				return nil, fmt.Errorf("DMA engine of mlx5: %w: rdma-core 41 or later has it: %w",
					err, verbs.ErrNotSupported)
			}
		}
	}
	return l, nil
}

// OpenCopier opens a device and its DMA engine, for a number of copies in flight. With events,
// [Copier.Done] sleeps until a copy is complete.
func OpenCopier(cfg Config, depth int, events bool) (*Copier, error) {
	d, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	dev := d.(*Device)
	own, err := loadCopier(soname, mlx5Soname)
	if err == nil {
		var c *Copier
		if c, err = newCopier(dev, own, depth, events); err == nil {
			return c, nil
		}
	}
	return nil, errors.Join(err, dev.Close())
}

func newCopier(d *Device, own *copierLibrary, depth int, events bool) (*Copier, error) {
	c := &Copier{
		dev: d, own: own, wcs: make([]ibvWC, min(depth, chunk)), patience: eventTimeout,
	}
	c.pin.Pin(&c.wcs[0])
	err := c.query()
	if err == nil {
		err = c.create(depth, events)
	}
	if err == nil {
		err = c.connect()
	}
	if err != nil {
		return nil, errors.Join(err, c.free())
	}
	return c, nil
}

// query refuses a device without a DMA engine.
func (c *Copier) query() error {
	attr := mlx5Context{compMask: mlx5MaskMemcpyLength}
	rc := clib.Call(c.own.queryDevice, c.dev.ctx, uintptr(unsafe.Pointer(&attr)))
	if rc := int(int32(rc)); rc != 0 {
		return fmt.Errorf("%s: mlx5dv_query_device: %s: only devices of the driver mlx5 have a "+
			"DMA engine that verbs drive: %w", c.dev.name, errnoText(syscall.Errno(max(rc, -rc))),
			verbs.ErrNotSupported)
	}
	if c.maxBytes = int(attr.maxWRMemcpyLength); c.maxBytes == 0 ||
		attr.compMask&mlx5MaskMemcpyLength == 0 {
		return fmt.Errorf("%s: found a longest copy of 0 bytes (mlx5dv_query_device): the device, "+
			"its firmware or its driver has no DMA engine for verbs; a BlueField-2 or later has "+
			"one: %w", c.dev.name, verbs.ErrNotSupported)
	}
	return nil
}

// create makes the queues.
func (c *Copier) create(depth int, events bool) error {
	d, lib := c.dev, c.dev.lib
	var errno syscall.Errno
	if c.pd, errno = clib.CallErrno(lib.allocPD, d.ctx); c.pd == 0 {
		return d.fail(errno, "ibv_alloc_pd")
	}
	if events {
		if c.channel, errno = clib.CallErrno(c.own.createChannel, d.ctx); c.channel == 0 {
			return d.fail(errno, "ibv_create_comp_channel")
		}
	}
	c.cq, errno = clib.CallErrno(lib.createCQ, d.ctx, uintptr(int32(depth)), 0, c.channel, 0)
	if c.cq == 0 {
		return d.fail(errno, "ibv_create_cq (depth %d)", depth)
	}
	attr := ibvQPInitAttrEx{
		sendCQ: c.cq, recvCQ: c.cq, qpType: qptRC,
		cap: ibvQPCap{
			maxSendWR: uint32(depth), maxRecvWR: 1, maxSendSGE: 1, maxRecvSGE: 1,
		},
		compMask: initAttrPD | initAttrSendOps, pd: c.pd, sendOpsFlags: exWithWrite,
	}
	mlx5 := mlx5QPInitAttr{compMask: mlx5MaskSendOps, sendOpsFlags: mlx5WithMemcpy}
	c.qp, errno = clib.CallErrno(c.own.createQP, d.ctx, uintptr(unsafe.Pointer(&attr)),
		uintptr(unsafe.Pointer(&mlx5)))
	if c.qp == 0 {
		return d.fail(errno, "mlx5dv_create_qp (RC with memcpy, %d copies)", depth)
	}
	if c.qpx = clib.Call(c.own.qpToQPEx, c.qp); c.qpx != 0 {
		c.mlx = clib.Call(c.own.qpExFrom, c.qpx)
	}
	c.ex = clib.At[ibvQPEx](c.qpx + qpBytes[runtime.GOARCH])
	if c.mlx == 0 {
		return fmt.Errorf("%s: found a queue pair without work requests of mlx5", d.name)
	}
	return nil
}

// connect brings the queue pair to ready-to-send, with itself as its peer.
func (c *Copier) connect() error {
	port, err := c.dev.Port()
	if err != nil {
		return err
	}
	self := verbs.Endpoint{
		Device: c.dev.info, Type: verbs.RC, LinkLayer: port.LinkLayer, LID: port.LID,
		GIDIndex: port.GIDIndex, GID: port.GID, MTU: port.MTU,
		QPN: clib.At[ibvQP](c.qp).qpNum, PSN: randomPSN(),
	}
	q := QP{dev: c.dev, qp: c.qp, local: self}
	if err := q.initialize(); err != nil {
		return err
	}
	if err := q.readyToReceive(self); err != nil {
		return err
	}
	return q.readyToSend(self)
}

// MaxBytes is the longest copy of the device.
func (c *Copier) MaxBytes() int { return c.maxBytes }

// Info describes the device.
func (c *Copier) Info() verbs.DeviceInfo { return c.dev.info }

// Register lets the engine read and write memory, which stays at its place until Close. It returns
// the key of the memory.
func (c *Copier) Register(memory []byte) (key uint32, err error) {
	c.pin.Pin(&memory[0])
	mr, errno := clib.CallErrno(c.dev.lib.regMR, c.pd, uintptr(unsafe.Pointer(&memory[0])),
		uintptr(len(memory)), accessLocalWrite)
	if mr == 0 {
		return 0, c.dev.fail(errno, "ibv_reg_mr of %d bytes", len(memory))
	}
	c.regions = append(c.regions, mr)
	return clib.At[ibvMR](mr).lkey, nil
}

// Copy submits a copy of registered memory, and asks for its completion.
func (c *Copier) Copy(to []byte, toKey uint32, from []byte, fromKey uint32) error {
	clib.Call3(c.ex.wrStart, c.qpx, 0, 0)
	c.ex.wrFlags = sendSignaled
	clib.Call6(clib.At[mlx5QPEx](c.mlx).wrMemcpy, &[6]uintptr{
		c.mlx, uintptr(toKey), uintptr(unsafe.Pointer(&to[0])), uintptr(fromKey),
		uintptr(unsafe.Pointer(&from[0])), uintptr(len(from)),
	})
	if rc := int32(clib.Call3(c.ex.wrComplete, c.qpx, 0, 0)); rc != 0 {
		return c.dev.fail(syscall.Errno(max(rc, -rc)), "mlx5dv_wr_memcpy of %d bytes", len(from))
	}
	return nil
}

// Done returns the number of copies that completed since the last call. With events, it sleeps
// until there is one.
func (c *Copier) Done() (int, error) {
	n, err := c.poll()
	for n == 0 && err == nil && c.channel != 0 {
		// A copy that completes before this call makes no event, and one after it does.
		notify := clib.At[ibvContext](c.dev.ctx).reqNotifyCQ
		if rc := int32(clib.Call3(notify, c.cq, 0, 0)); rc != 0 {
			return 0, c.dev.fail(syscall.Errno(max(rc, -rc)), "ibv_req_notify_cq")
		}
		if n, err = c.poll(); n > 0 || err != nil {
			break
		}
		if err = c.await(); err == nil {
			n, err = c.poll()
		}
	}
	return n, err
}

// poll takes the completions that are there.
func (c *Copier) poll() (int, error) {
	poll := clib.At[ibvContext](c.dev.ctx).pollCQ
	n := int(int32(clib.Call3(poll, c.cq, uintptr(len(c.wcs)),
		uintptr(unsafe.Pointer(&c.wcs[0])))))
	if n < 0 {
		return 0, fmt.Errorf("%s: ibv_poll_cq failed with %d: the queue overran, or the device "+
			"has failed", c.dev.name, n)
	}
	for i := range c.wcs[:n] {
		switch w := &c.wcs[i]; {
		case w.status != wcSuccess:
			return i, fmt.Errorf("%s: copy: %s (vendor's code %#x)", c.dev.name,
				verbs.WCStatus(w.status), w.vendorErr)
		case w.opcode != mlx5WCMemcpy:
			return i, fmt.Errorf("%s: found the completion of operation %d, allowed: %d, a copy",
				c.dev.name, w.opcode, mlx5WCMemcpy)
		}
	}
	return n, nil
}

// eventTimeout is how long a copy may take.
const eventTimeout = 5 * time.Second

// await sleeps until the completion queue has an event, and acknowledges it.
func (c *Copier) await() error {
	fds := []unix.PollFd{{Fd: clib.At[ibvCompChannel](c.channel).fd, Events: unix.POLLIN}}
	for until := time.Now().Add(c.patience); ; {
		n, err := unix.Poll(fds, int(c.patience.Milliseconds()))
		if n > 0 {
			break
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return c.dev.fail(err, "poll of completion events")
		}
		if time.Now().After(until) {
			return fmt.Errorf("%s: found no completion of a copy within %v", c.dev.name,
				c.patience)
		}
	}
	var cq, context uintptr
	rc, errno := clib.CallErrno(c.own.getCQEvent, c.channel, uintptr(unsafe.Pointer(&cq)),
		uintptr(unsafe.Pointer(&context)))
	if int32(rc) != 0 {
		return c.dev.fail(errno, "ibv_get_cq_event")
	}
	clib.Call3(c.own.ackCQEvents, cq, 1, 0)
	return nil
}

// Close frees the engine and the device. Unfinished copies are lost.
func (c *Copier) Close() error { return errors.Join(c.free(), c.dev.Close()) }

// free frees what was made, the youngest first.
func (c *Copier) free() (err error) {
	release := func(f uintptr, object *uintptr, op string) {
		if *object != 0 {
			err = errors.Join(err, c.dev.release(f, *object, op))
			*object = 0
		}
	}
	release(c.dev.lib.destroyQP, &c.qp, "ibv_destroy_qp")
	for i := range c.regions {
		release(c.dev.lib.deregMR, &c.regions[i], "ibv_dereg_mr")
	}
	release(c.dev.lib.destroyCQ, &c.cq, "ibv_destroy_cq")
	release(c.own.destroyChannel, &c.channel, "ibv_destroy_comp_channel")
	release(c.dev.lib.deallocPD, &c.pd, "ibv_dealloc_pd")
	c.pin.Unpin()
	return err
}
