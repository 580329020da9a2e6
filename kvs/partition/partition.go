package partition

import (
	"errors"
	"fmt"
	"unsafe"

	"dpukv/internal/offheap"
)

// Partition is an index over a circular log. It belongs to the one core that owns it, except for
// shared reads.
type Partition struct {
	log     unsafe.Pointer
	buckets []bucket // in use from the start
	spares  []bucket // continue chains (store mode only)
	shared  bool     // CREW: cores other than the owner read
	mode    Mode
	owner   int // number of the core that writes

	space     circular
	liveBytes uint64
	credit    int64  // bytes that clean may still examine; negative: it has examined too many
	freeSpare uint32 // head of the list of free spares, by number; 0: none

	items, evicted, full uint64

	indexMemory, logMemory *offheap.Region
}

// spareShare is the number of buckets per spare.
const spareShare = 10

// bucketsFor returns the number of buckets and spares of each of n partitions.
func (c *Config) bucketsFor(n int) (buckets, spares int) {
	buckets = (MostOf(c.Items, n) + itemsPerBucket - 1) / itemsPerBucket
	if c.Mode == Store {
		spares = buckets/spareShare + slotsPerBucket
	}
	return buckets, spares
}

// fits refuses a table, before any of it is backed, if there is not enough memory for all n
// partitions.
func (c *Config) fits(n int) error {
	buckets, spares := c.bucketsFor(n)
	index := int64(buckets+spares) * bucketBytes * int64(n)
	if err := offheap.Fits(index+c.LogBytes, c.Pages); err != nil {
		return fmt.Errorf("allocate an index of %d MiB for %d items and a log of %d MiB: %w",
			(index+1<<20-1)>>20, c.Items, c.LogBytes>>20, err)
	}
	return nil
}

func newPartition(cfg *Config, n int) (*Partition, error) {
	p := &Partition{mode: cfg.Mode, shared: cfg.Access == CREW}
	buckets, spares := cfg.bucketsFor(n)
	var err error
	if p.indexMemory, err = offheap.Alloc((buckets+spares)*bucketBytes, cfg.Pages); err != nil {
		return nil, err
	}
	size := uint64(cfg.LogBytes/int64(n)) &^ (wordBytes - 1)
	if p.logMemory, err = offheap.Alloc(int(size), cfg.Pages); err != nil {
		return nil, errors.Join(err, p.free())
	}
	all := unsafe.Slice((*bucket)(unsafe.Pointer(&p.indexMemory.Bytes()[0])), buckets+spares)
	p.buckets, p.spares = all[:buckets], all[buckets:]
	p.log = unsafe.Pointer(&p.logMemory.Bytes()[0])
	p.space = newCircular(size)
	p.linkSpares()
	return p, nil
}

// linkSpares links the free spares into a list.
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
