package partition

import (
	"errors"
	"unsafe"

	"dpukv/internal/offheap"
)

// Partition is an index over a circular log. All but its shared reads belong to
// the one core that owns it.
type Partition struct {
	log         unsafe.Pointer
	buckets     []bucket // in use from the start
	spares      []bucket // continue chains (store mode only)
	bucketCount uint64
	shared      bool // CREW: readers on other cores
	mode        Mode
	owner       int // number of the core that writes

	space     circular
	liveBytes uint64
	credit    int64  // bytes that clean may still look at; negative: has looked at too many
	freeSpare uint32 // head of the list of free spares, by number; 0: none

	items, evicted, full uint64

	indexMemory, logMemory *offheap.Region
}

// spareShare is the number of buckets to one spare.
const spareShare = 10

func newPartition(cfg *Config, items int, logBytes int64) (*Partition, error) {
	p := &Partition{mode: cfg.Mode, shared: cfg.Access == CREW}
	buckets := (items + itemsPerBucket - 1) / itemsPerBucket
	spares := 0
	if p.mode == Store {
		spares = buckets/spareShare + slotsPerBucket
	}
	var err error
	if p.indexMemory, err = offheap.Alloc((buckets+spares)*bucketBytes, cfg.Pages); err != nil {
		return nil, err
	}
	size := uint64(logBytes) &^ (wordBytes - 1)
	if p.logMemory, err = offheap.Alloc(int(size), cfg.Pages); err != nil {
		return nil, errors.Join(err, p.free())
	}
	all := unsafe.Slice((*bucket)(unsafe.Pointer(&p.indexMemory.Bytes()[0])), buckets+spares)
	p.buckets, p.spares = all[:buckets], all[buckets:]
	p.bucketCount = uint64(buckets)
	p.log = unsafe.Pointer(&p.logMemory.Bytes()[0])
	p.space = newCircular(size)
	p.linkSpares()
	return p, nil
}

// linkSpares threads the list of free spares through them.
func (p *Partition) linkSpares() {
	for i := len(p.spares) - 1; i >= 0; i-- {
		p.spares[i].next = p.freeSpare
		p.freeSpare = uint32(i + 1)
	}
}

func (p *Partition) free() error {
	var errs []error
	for _, r := range []*offheap.Region{p.indexMemory, p.logMemory} {
		if r != nil {
			errs = append(errs, r.Free())
		}
	}
	*p = Partition{}
	return errors.Join(errs...)
}
