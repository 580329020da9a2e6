//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"dpukv/internal/clib"
	"dpukv/internal/offheap"
	"dpukv/verbs"
)

// MR is a registered memory region.
type MR struct {
	dev    *Device
	mr     uintptr // C's ibv_mr
	memory *offheap.Region
	// pin does nothing for mapped memory. Under the race detector the region is on the Go heap, and
	// the device may keep its address only while it is pinned.
	pin runtime.Pinner
}

// AllocMR makes and registers memory.
func (p *PD) AllocMR(size int, access verbs.Access) (verbs.MR, error) {
	if p.pd == 0 {
		return nil, p.dev.closed("ibv_reg_mr")
	}
	memory, err := offheap.Alloc(size, offheap.Auto)
	if err != nil {
		return nil, fmt.Errorf("%s: memory region: %w", p.dev.name, err)
	}
	m := &MR{dev: p.dev, memory: memory}
	first := unsafe.Pointer(&memory.Bytes()[0])
	m.pin.Pin(first)
	var errno syscall.Errno
	m.mr, errno = clib.CallErrno(p.dev.lib.regMR, p.pd, uintptr(first), uintptr(size),
		accessFlags(access))
	if m.mr == 0 {
		return nil, errors.Join(p.dev.fail(errno, "ibv_reg_mr of %d bytes", size), m.free())
	}
	p.dev.made.add(m)
	return m, nil
}

// accessFlags adds local writing to remote writing: libibverbs grants remote writing only with it.
func accessFlags(a verbs.Access) (flags uintptr) {
	if a&(verbs.LocalWrite|verbs.RemoteWrite) != 0 {
		flags |= accessLocalWrite
	}
	if a&verbs.RemoteWrite != 0 {
		flags |= accessRemoteWrite
	}
	if a&verbs.RemoteRead != 0 {
		flags |= accessRemoteRead
	}
	return flags
}

func (m *MR) Bytes() []byte { return m.memory.Bytes() }
func (m *MR) Addr() uint64  { return uint64(uintptr(unsafe.Pointer(&m.memory.Bytes()[0]))) }
func (m *MR) LKey() uint32  { return clib.At[ibvMR](m.mr).lkey }
func (m *MR) RKey() uint32  { return clib.At[ibvMR](m.mr).rkey }

func (m *MR) Region() verbs.Region {
	return verbs.Region{Addr: m.Addr(), Length: len(m.memory.Bytes()), RKey: m.RKey()}
}

// Close deregisters and frees the memory.
func (m *MR) Close() error {
	if m.mr == 0 {
		return nil
	}
	// The device may still write to the memory, so it must not be freed.
	if err := m.dev.release(m.dev.lib.deregMR, m.mr, "ibv_dereg_mr"); err != nil {
		return err
	}
	m.dev.made.remove(m)
	m.mr = 0
	return m.free()
}

func (m *MR) free() error {
	m.pin.Unpin()
	return m.memory.Free()
}
