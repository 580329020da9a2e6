//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"errors"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"dpukv/verbs"
)

// PD is a protection domain.
type PD struct {
	dev *Device
	pd  *C.struct_ibv_pd

	mu      sync.Mutex // of the table of address handles, for writers
	ahs     *C.struct_shim_ahs
	free    []uint32   // freed handles
	used    uint32     // handles ever allocated; all but the free ones are open
	closing []closedAH // the oldest first
}

// closedAH is a closed address handle that the driver still has.
type closedAH struct {
	ah *C.struct_ibv_ah
	at time.Time
}

// ahQuarantine is how long a closed address handle is kept for earlier sends. Some drivers copy the
// address when a send is posted. The kernel's soft-RoCE looks up the handle when the send leaves. A
// missing handle then ends the QP, for all its peers. A datagram waits for nobody, so it has left
// by the end of the quarantine.
const ahQuarantine = 10 * time.Second

// AllocPD makes a protection domain.
func (d *Device) AllocPD() (verbs.PD, error) {
	if d.ctx == nil {
		return nil, d.closed("ibv_alloc_pd")
	}
	pd, err := C.ibv_alloc_pd(d.ctx)
	if pd == nil {
		return nil, d.fail(err, "ibv_alloc_pd")
	}
	p := &PD{dev: d, pd: pd, ahs: (*C.struct_shim_ahs)(C.calloc(1, C.sizeof_struct_shim_ahs))}
	d.made.add(p)
	return p, nil
}

// Close frees the domain. The caller must have closed the objects made from it. The device knows
// the other objects, and refuses. It knows address handles only if its driver makes them in the
// kernel.
func (p *PD) Close() error {
	if p.pd == nil {
		return nil
	}
	if n := p.openAHs(); n > 0 {
		return p.dev.fail(syscall.EBUSY, "ibv_dealloc_pd with address handles open (%d)", n)
	}
	// The quarantine is over, because the QPs are closed.
	if err := p.destroyClosed(time.Now().Add(ahQuarantine)); err != nil {
		return err
	}
	if err := p.dev.check(int(C.ibv_dealloc_pd(p.pd)), "ibv_dealloc_pd"); err != nil {
		return err
	}
	p.dev.made.remove(p)
	C.shim_free_ahs(p.ahs)
	p.pd, p.ahs = nil, nil
	return nil
}

func (p *PD) openAHs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.used) - len(p.free)
}

// AH is an address handle.
type AH struct {
	pd     *PD
	ah     *C.struct_ibv_ah
	handle uint32
}

// CreateAH makes the address handle of a peer.
func (p *PD) CreateAH(peer verbs.Endpoint) (verbs.AH, error) {
	if p.pd == nil {
		return nil, p.dev.closed("ibv_create_ah")
	}
	attr := p.dev.ahAttr(peer, 0)
	ah, err := C.ibv_create_ah(p.pd, &attr)
	if ah == nil {
		return nil, p.dev.fail(err, "ibv_create_ah for %s", peer)
	}
	a := &AH{pd: p, ah: ah}
	if err := a.register(); err != nil {
		C.ibv_destroy_ah(ah)
		return nil, err
	}
	p.dev.made.add(a)
	return a, nil
}

// ahAttr returns the address of a peer. A flow label of 0 leaves the choice to the device.
func (d *Device) ahAttr(peer verbs.Endpoint, flowLabel uint32) C.struct_ibv_ah_attr {
	var attr C.struct_ibv_ah_attr
	global := C.int(0)
	if peer.LinkLayer == verbs.LinkEthernet { // an InfiniBand subnet routes by LID
		global = 1
	}
	C.shim_ah_attr(&attr, d.port, C.uint8_t(d.gid.index), global, C.uint16_t(peer.LID),
		(*C.uint8_t)(unsafe.Pointer(&peer.GID[0])),
		C.uint32_t(flowLabel))
	return attr
}

// register allocates a place in the table for the address handle.
func (a *AH) register() error {
	p := a.pd
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		a.handle, p.free = p.free[n-1], p.free[:n-1]
	} else {
		a.handle = p.used + 1 // 0 stands for no handle
		p.used++
	}
	err := p.dev.check(int(C.shim_set_ah(p.ahs, C.uint32_t(a.handle), a.ah)), "address handle %d",
		a.handle)
	if err != nil {
		p.free = append(p.free, a.handle)
	}
	return err
}

// Handle is its number in work requests.
func (a *AH) Handle() uint32 { return a.handle }

// Close frees the address handle. Its number may be reused. Earlier sends with it still go out.
func (a *AH) Close() error {
	if a.ah == nil {
		return nil
	}
	p := a.pd
	p.mu.Lock()
	C.shim_set_ah(p.ahs, C.uint32_t(a.handle), nil) // its chunk exists
	p.free = append(p.free, a.handle)
	now := time.Now()
	p.closing = append(p.closing, closedAH{a.ah, now})
	a.ah = nil
	p.mu.Unlock()
	p.dev.made.remove(a)
	return p.destroyClosed(now)
}

// destroyClosed destroys the address handles whose quarantine is over.
func (p *PD) destroyClosed(now time.Time) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.closing) > 0 && now.Sub(p.closing[0].at) >= ahQuarantine {
		rc := int(C.ibv_destroy_ah(p.closing[0].ah))
		err = errors.Join(err, p.dev.check(rc, "ibv_destroy_ah"))
		p.closing = p.closing[1:]
	}
	return err
}
