package partition

import (
	"cmp"
	"errors"

	"dpukv/internal/offheap"
)

// Table holds all partitions of a store and their owners.
type Table struct {
	partitions []Partition
	cfg        Config
}

// New makes the partitions and backs all their memory.
func New(cfg Config) (*Table, error) {
	cfg.Pages = cmp.Or(cfg.Pages, offheap.Auto)
	if err := cfg.check(); err != nil {
		return nil, err
	}
	n := cfg.Cores * cfg.PerCore
	if err := cfg.fits(n); err != nil {
		return nil, err
	}
	t := &Table{cfg: cfg, partitions: make([]Partition, 0, n)}
	for i := range n {
		p, err := newPartition(&cfg, n)
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		p.owner = i / cfg.PerCore
		t.partitions = append(t.partitions, *p)
	}
	return t, nil
}

// Close frees the memory. No core may use the table any more.
func (t *Table) Close() error {
	var errs []error
	for i := range t.partitions {
		errs = append(errs, t.partitions[i].free())
	}
	t.partitions = nil
	return errors.Join(errs...)
}

// partition maps hash bits 48–63 onto the partitions evenly.
func (t *Table) partition(hash uint64) *Partition {
	return &t.partitions[PartitionOf(hash, len(t.partitions))]
}

// PartitionOf returns the partition, of n, of a key with this hash. Clients route by it.
func PartitionOf(hash uint64, n int) int { return int((hash >> 48) * uint64(n) >> 16) }

// Core returns the view of the core with this number. A core beyond [Config].Cores only reads.
func (t *Table) Core(number int) *Core {
	c := &Core{table: t, number: number}
	if number < t.cfg.Cores {
		c.own = &t.partitions[number*t.cfg.PerCore]
	}
	for i := range t.partitions {
		c.places = append(c.places, t.partitions[i].placeFor(number))
	}
	return c
}

// Backing returns the pages that back the memory; where partitions differ, the smallest.
func (t *Table) Backing() offheap.Backing {
	worst := t.partitions[0].logMemory.Backing()
	for i := range t.partitions {
		p := &t.partitions[i]
		for _, r := range []*offheap.Region{p.indexMemory, p.logMemory} {
			if b := r.Backing(); b.PageBytes < worst.PageBytes {
				worst = b
			}
		}
	}
	return worst
}

// Memory returns the size of the index and the log in bytes.
func (t *Table) Memory() (index, log int64) {
	for i := range t.partitions {
		p := &t.partitions[i]
		index += int64(len(p.indexMemory.Bytes()))
		log += int64(len(p.logMemory.Bytes()))
	}
	return index, log
}
