//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// PD is a protection domain.
type PD struct {
	dev *Device
	pd  uintptr // C's ibv_pd

	ahs     *ahTable
	mu      sync.Mutex // of the table for writers, and of these:
	free    []uint32   // freed handles
	used    uint32     // handles ever allocated; all but the free ones are open
	closing []closedAH // the oldest first
}

// closedAH is a closed address handle that the driver still has.
type closedAH struct {
	ah uintptr // C's ibv_ah
	at time.Time
}

// ahQuarantine is how long a closed address handle is kept for earlier sends. Some drivers copy the
// address when a send is posted. The kernel's soft-RoCE looks up the handle when the send leaves. A
// missing handle then ends the QP, for all its peers. A datagram waits for nobody, so it has left
// by the end of the quarantine.
const ahQuarantine = 10 * time.Second

func (d *Device) AllocPD() (verbs.PD, error) {
	if d.ctx == 0 {
		return nil, d.closed("ibv_alloc_pd")
	}
	pd, err := clib.CallErrno(d.lib.allocPD, d.ctx)
	if pd == 0 {
		return nil, d.fail(err, "ibv_alloc_pd")
	}
	p := &PD{dev: d, pd: pd, ahs: &ahTable{}}
	d.made.add(p)
	return p, nil
}

// Close frees the domain. The caller must have closed the objects made from it. The device knows
// the other objects, and refuses. It knows address handles only if its driver makes them in the
// kernel.
func (p *PD) Close() error {
	if p.pd == 0 {
		return nil
	}
	if n := p.openAHs(); n > 0 {
		return p.dev.fail(syscall.EBUSY, "ibv_dealloc_pd with address handles open (%d)", n)
	}
	// The quarantine is over, because the QPs are closed.
	if err := p.destroyClosed(time.Now().Add(ahQuarantine)); err != nil {
		return err
	}
	if err := p.dev.release(p.dev.lib.deallocPD, p.pd, "ibv_dealloc_pd"); err != nil {
		return err
	}
	p.dev.made.remove(p)
	p.pd = 0
	return nil
}

func (p *PD) openAHs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.used) - len(p.free)
}

// hopLimit is the number of routers that a packet may pass.
const hopLimit = 64

// AH is an address handle.
type AH struct {
	pd     *PD
	ah     uintptr // C's ibv_ah
	handle uint32
}

// CreateAH makes the address handle of a peer.
func (p *PD) CreateAH(peer verbs.Endpoint) (verbs.AH, error) {
	if p.pd == 0 {
		return nil, p.dev.closed("ibv_create_ah")
	}
	attr := p.dev.ahAttr(peer, 0)
	ah, err := clib.CallErrno(p.dev.lib.createAH, p.pd, uintptr(unsafe.Pointer(&attr)))
	if ah == 0 {
		return nil, p.dev.fail(err, "ibv_create_ah for %s", peer)
	}
	a := &AH{pd: p, ah: ah}
	if err := a.register(); err != nil {
		clib.Call(p.dev.lib.destroyAH, ah)
		return nil, err
	}
	p.dev.made.add(a)
	return a, nil
}

// ahAttr returns the address of a peer. A flow label of 0 leaves the choice to the device.
func (d *Device) ahAttr(peer verbs.Endpoint, flowLabel uint32) ibvAHAttr {
	attr := ibvAHAttr{portNum: d.port, dlid: peer.LID}
	if peer.LinkLayer != verbs.LinkEthernet {
		return attr // an InfiniBand subnet routes by LID
	}
	attr.isGlobal = 1
	attr.grh = ibvGlobalRoute{
		dgid: peer.GID, flowLabel: flowLabel, sgidIndex: uint8(d.gid.index), hopLimit: hopLimit,
	}
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
	if !p.ahs.set(a.handle, a.ah) {
		p.free = append(p.free, a.handle)
		return p.dev.fail(syscall.ENOSPC, "address handle %d of at most %d", a.handle, maxAHs)
	}
	return nil
}

func (a *AH) Handle() uint32 { return a.handle }

// Close frees the address handle. Its number may be reused. Earlier sends with it still go out.
func (a *AH) Close() error {
	if a.ah == 0 {
		return nil
	}
	p := a.pd
	p.mu.Lock()
	p.ahs.set(a.handle, 0)
	p.free = append(p.free, a.handle)
	now := time.Now()
	p.closing = append(p.closing, closedAH{a.ah, now})
	a.ah = 0
	p.mu.Unlock()
	p.dev.made.remove(a)
	return p.destroyClosed(now)
}

// destroyClosed destroys the address handles whose quarantine is over.
func (p *PD) destroyClosed(now time.Time) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.closing) > 0 && now.Sub(p.closing[0].at) >= ahQuarantine {
		err = errors.Join(err, p.dev.release(p.dev.lib.destroyAH, p.closing[0].ah,
			"ibv_destroy_ah"))
		p.closing = p.closing[1:]
	}
	return err
}
