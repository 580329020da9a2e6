package softroce

import (
	"fmt"
	"unsafe"

	"dpukv/internal/offheap"
	"dpukv/verbs"
)

// pd is a protection domain: its QPs reach its regions, and no others. It costs nothing: a server may
// have one for each client.
type pd struct{ device *device }

func (d *device) AllocPD() (verbs.PD, error) {
	if d.closed.Load() {
		return nil, verbs.ErrClosed
	}
	return &pd{d}, nil
}

func (p *pd) Close() error { return nil }

// region is registered memory. Its two keys are one number, as with many NICs.
type region struct {
	pd     *pd
	memory *offheap.Region
	whole  []byte // all of the memory: a multiple of regionAlign
	bytes  []byte // what was asked for
	addr   uint64
	key    uint32
	access verbs.Access
}

// regionAlign rounds regions up, so that every byte of one lies in a whole word of it.
const regionAlign = 64

// hugePagesFrom is the size from which a region asks for huge pages.
const hugePagesFrom = 2 << 20

func (p *pd) AllocMR(size int, access verbs.Access) (verbs.MR, error) {
	if size <= 0 || size > 1<<31 {
		return nil, fmt.Errorf("memory region of %d bytes: want 1 to 2^31", size)
	}
	pages := offheap.Small
	if size >= hugePagesFrom {
		pages = offheap.Auto
	}
	memory, err := offheap.Alloc((size+regionAlign-1)&^(regionAlign-1), pages)
	if err != nil {
		return nil, fmt.Errorf("memory region: %w", err)
	}
	m := &region{pd: p, memory: memory, whole: memory.Bytes(), access: access}
	m.bytes = m.whole[:size:size]
	m.addr = uint64(uintptr(unsafe.Pointer(&m.whole[0])))
	err = p.device.change(func() (err error) {
		m.key, err = p.device.regions.add(m)
		return err
	})
	if err != nil {
		_ = memory.Free()
		return nil, err
	}
	return m, nil
}

func (m *region) Bytes() []byte { return m.bytes }
func (m *region) Addr() uint64  { return m.addr }
func (m *region) LKey() uint32  { return m.key }
func (m *region) RKey() uint32  { return m.key }

func (m *region) Region() verbs.Region {
	return verbs.Region{Addr: m.addr, Length: len(m.bytes), RKey: m.key}
}

// Close takes the key back and frees the memory. No work request may still need it.
func (m *region) Close() error {
	return m.pd.device.release(func() error {
		if !m.pd.device.regions.remove(m.key, m) {
			return nil
		}
		return m.memory.Free()
	})
}
