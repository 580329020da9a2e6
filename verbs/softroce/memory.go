package softroce

import (
	"errors"
	"fmt"
	"unsafe"

	"dpukv/internal/offheap"
	"dpukv/verbs"
)

// pd is a protection domain: its QPs reach only its regions. It costs nothing, so a server may have
// one per client.
type pd struct{ device *device }

func (d *device) AllocPD() (verbs.PD, error) {
	if d.closed.Load() {
		return nil, verbs.ErrClosed
	}
	return &pd{d}, nil
}

func (p *pd) Close() error { return nil }

// region is registered memory. Its two keys are the same number, as with many NICs.
type region struct {
	pd     *pd
	memory *offheap.Region
	whole  []byte // all of the memory: a multiple of regionAlign
	bytes  []byte // the requested size
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
		return nil, fmt.Errorf("memory region: found %d bytes, allowed: 1 to 2^31", size)
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

// Close invalidates the key and frees the memory. No pending work request may need it. Unmapping
// takes a while, during which others go on: nobody can reach the memory once it is out of the
// tables.
func (m *region) Close() error {
	removed := false
	err := m.pd.device.release(func() error {
		removed = m.pd.device.regions.remove(m.key, m)
		return nil
	})
	if removed {
		err = errors.Join(err, m.memory.Free())
	}
	return err
}

// regionTable finds regions by their keys.
type regionTable struct{ table[region] }

const (
	keyBits = 32
	// maxRegions far exceeds the number of mappings, of which Linux allows a process 65,530.
	maxRegions = 1 << 20
)

func newRegionTable() regionTable {
	return regionTable{newTable[region]("memory region", keyBits, maxRegions)}
}

// reach returns the region with a key and the offset of addr in it. It requires that n bytes from
// there lie in the region and that the access is allowed. Otherwise it returns the reason.
func (t *regionTable) reach(
	p *pd, key uint32, addr uint64, n int, access verbs.Access,
) (*region, int, counter) {
	m := t.find(key)
	if m == nil || m.pd != p {
		return nil, 0, badRKey
	}
	at := addr - m.addr // wraps to a large value if addr lies below
	if at > uint64(len(m.bytes)) || uint64(n) > uint64(len(m.bytes))-at {
		return nil, 0, outOfRegion
	}
	if m.access&access != access {
		return nil, 0, noRemoteAccess
	}
	return m, int(at), noDrop
}
