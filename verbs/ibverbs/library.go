//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// soname is the name of libibverbs for the dynamic linker.
const soname = "libibverbs.so.1"

// library has the addresses of libibverbs's functions. All are in version 1.1 of its symbols, which
// every release since 2007 has.
type library struct {
	getDeviceList, freeDeviceList uintptr
	openDevice, closeDevice       uintptr
	queryDevice, queryPort        uintptr
	portStateStr                  uintptr
	getAsyncEvent, ackAsyncEvent  uintptr
	allocPD, deallocPD            uintptr
	regMR, deregMR                uintptr
	createCQ, destroyCQ           uintptr
	createQP, modifyQP, destroyQP uintptr
	createAH, destroyAH           uintptr
}

func (l *library) functions() map[string]*uintptr {
	return map[string]*uintptr{
		"ibv_get_device_list": &l.getDeviceList, "ibv_free_device_list": &l.freeDeviceList,
		"ibv_open_device": &l.openDevice, "ibv_close_device": &l.closeDevice,
		"ibv_query_device": &l.queryDevice, "ibv_query_port": &l.queryPort,
		"ibv_port_state_str":  &l.portStateStr,
		"ibv_get_async_event": &l.getAsyncEvent, "ibv_ack_async_event": &l.ackAsyncEvent,
		"ibv_alloc_pd": &l.allocPD, "ibv_dealloc_pd": &l.deallocPD,
		"ibv_reg_mr": &l.regMR, "ibv_dereg_mr": &l.deregMR,
		"ibv_create_cq": &l.createCQ, "ibv_destroy_cq": &l.destroyCQ,
		"ibv_create_qp": &l.createQP, "ibv_modify_qp": &l.modifyQP,
		"ibv_destroy_qp": &l.destroyQP,
		"ibv_create_ah":  &l.createAH, "ibv_destroy_ah": &l.destroyAH,
	}
}

// load loads libibverbs once. A program that opens no NIC never loads it.
var load = sync.OnceValues(func() (*library, error) { return loadFrom(soname) })

func loadFrom(name string) (*library, error) {
	c, err := clib.Open(name)
	if err != nil {
		return nil, fmt.Errorf("provider ibverbs: found no %s: %w: apt-get install libibverbs1 "+
			"ibverbs-providers (in RHEL: dnf install libibverbs): %w", name, err,
			verbs.ErrNotSupported)
	}
	l := &library{}
	for function, addr := range l.functions() {
		if *addr, err = c.Symbol(function); err != nil {
			return nil, fmt.Errorf("provider ibverbs: %w: %w", err, verbs.ErrNotSupported)
		}
	}
	return l, nil
}

// newQP creates a queue pair with one element in each list of buffers.
func (l *library) newQP(pd uintptr, attr *ibvQPInitAttr) (uintptr, syscall.Errno) {
	attr.cap.maxSendSGE, attr.cap.maxRecvSGE = 1, 1
	return clib.CallErrno(l.createQP, pd, uintptr(unsafe.Pointer(attr)))
}

// release calls a function that frees an object of C.
func (d *Device) release(f, object uintptr, op string) error {
	return d.check(int(int32(clib.Call(f, object))), "%s", op)
}
