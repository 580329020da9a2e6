package shm

import (
	"errors"
	"fmt"
	"unsafe"

	"dpukv/internal/offheap"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// pd is a protection domain. The entries of its regions and queue pairs contain its number.
type pd struct {
	device *Device
	number uint32
}

// Close frees nothing: regions and queue pairs are closed separately.
func (p *pd) Close() error { return nil }

// CreateAH maps the endpoint's device.
func (p *pd) CreateAH(e verbs.Endpoint) (verbs.AH, error) {
	peer, err := p.device.attach(e)
	if err != nil {
		return nil, fmt.Errorf("address handle for %s: %w", e, err)
	}
	return p.device.addAH(peer), nil
}

// mr is a memory region.
type mr struct {
	device *Device
	key    uint32
	start  uint64
	bytes  []byte

	backing offheap.Backing
}

// fitsFrom is the size from which AllocMR compares a region with the available memory. Smaller
// ones add up to it: the check reads several files, which would delay many small regions, one per
// client.
const fitsFrom = 1 << 20

// fits refuses a region for which there is no memory.
func (d *Device) fits(size int) error {
	if d.unchecked += size; d.unchecked < fitsFrom {
		return nil
	}
	if err := d.available(int64(size), offheap.Small); err != nil {
		return fmt.Errorf("memory region: %w", err)
	}
	d.unchecked = 0
	return nil
}

// AllocMR takes room in the arena. It makes the kernel back the room now, while a failure can still
// be returned.
func (p *pd) AllocMR(size int, access verbs.Access) (verbs.MR, error) {
	if size < 1 {
		return nil, fmt.Errorf("memory region: found %d bytes, allowed: 1 or more", size)
	}
	d := p.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, verbs.ErrClosed
	}
	if err := d.fits(size); err != nil {
		return nil, err
	}
	start, err := d.heap.alloc(size)
	if err != nil {
		return nil, err
	}
	m := &mr{device: d, start: start, bytes: unsafe.Slice((*byte)(d.arena.at(start)), size)}
	if m.key, err = d.regions.assign("memory region"); err != nil {
		return nil, errors.Join(err, d.heap.undo(start, size))
	}
	if err := d.populate(d.arena, d.heap.fd, start, toPage(uint64(size))); err != nil {
		d.regions.give(m.key)
		err = fmt.Errorf("memory region of %d bytes: %w", size, err)
		return nil, errors.Join(err, d.heap.undo(start, size))
	}
	m.backing = d.arena.collapse(start, toPage(uint64(size)))
	e := d.arena.region(m.key)
	e.access.Store(uint32(access))
	e.pd.Store(p.number)
	e.start.Store(start)
	e.length.Store(uint64(size))
	e.key.Store(m.key)
	return m, nil
}

// populate backs whole pages.
func populate(a *arena, fd int, start, size uint64) error {
	err := unix.Madvise(a.mapped[start:start+size], unix.MADV_POPULATE_WRITE)
	if errors.Is(err, unix.EINVAL) {
		return reserve(fd, start, size)
	}
	return err
}

// reserve backs pages on kernels before 5.14, which do not know the advice. The first access to a
// page then only maps it.
func reserve(fd int, start, size uint64) error {
	err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, int64(start), int64(size))
	if err != nil {
		return fmt.Errorf("back %d bytes of shared memory: %w", size, err)
	}
	return nil
}

// Backing tells the kind of pages that most of the region lies on.
func (m *mr) Backing() offheap.Backing { return m.backing }

func (m *mr) Bytes() []byte { return m.bytes }
func (m *mr) Addr() uint64  { return m.device.arena.owner + m.start }
func (m *mr) LKey() uint32  { return m.key }
func (m *mr) RKey() uint32  { return m.key }

func (m *mr) Region() verbs.Region {
	return verbs.Region{
		Addr: m.Addr(), Length: len(m.bytes), RKey: m.key,
		Handle: m.device.handle.String(),
	}
}

// Close makes the region unreachable for peers. doc.go covers writers that are active at this
// moment.
func (m *mr) Close() error {
	d := m.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if m.bytes == nil || d.closed {
		return nil
	}
	d.arena.region(m.key).key.Store(0)
	d.regions.give(m.key)
	size := len(m.bytes)
	m.bytes = nil
	return d.heap.free(m.start, size)
}
