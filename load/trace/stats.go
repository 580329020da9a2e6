package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"dpukv/kvs"
)

// Stats is what the operations of a trace tell together.
type Stats struct {
	Summary *Summary `json:"summary"`
	// RateOps is the mean number of operations per second.
	RateOps float64 `json:"rate_ops,omitempty"`
	// GetRatio is the share of GETs among the operations.
	GetRatio float64 `json:"get_ratio"`
	// WorkingSetBytes is the sum of all keys and of their last values.
	WorkingSetBytes uint64 `json:"working_set_bytes"`
	// OneHitKeys are keys with a single operation.
	OneHitKeys uint64  `json:"one_hit_keys"`
	KeyBytes   Spread  `json:"key_bytes"`   // of operations
	ValueBytes Spread  `json:"value_bytes"` // of operations but DELETE
	Expiring   uint64  `json:"expiring"`    // operations with a TTL
	Zipf       *Zipf   `json:"zipf,omitempty"`
	Slices     []Slice `json:"slices,omitempty"` // the rate over time
}

// Spread describes sizes.
type Spread struct {
	Mean   float64 `json:"mean"`
	Median int     `json:"median"`
	P99    int     `json:"p99"`
	Max    int     `json:"max"`
}

// Slice is a part of the trace's time.
type Slice struct {
	FromNs     int64   `json:"from_ns"`
	ToNs       int64   `json:"to_ns"`
	Operations uint64  `json:"operations"`
	RateOps    float64 `json:"rate_ops"`
}

// ErrEmpty is of a source without an operation.
var ErrEmpty = errors.New("found no operation in it, allowed: 1 or more")

// Stats reads all operations. A key takes 12 bytes of memory, and up to twice as much meanwhile.
func (f *File) Stats(ctx context.Context) (*Stats, error) {
	c := f.Cursor(Cut{})
	all := newCollector(f.Summary().SpreadNs)
	var r Record
	for c.Next(&r) {
		if all.operations%lookEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		all.add(&r)
	}
	if c.Err() != nil {
		return nil, c.Err()
	}
	s := f.Summary()
	end := s.LastNs
	if unit := s.SpreadNs; unit > 0 {
		end = (end/unit + 1) * unit
	}
	return all.stats(s, end)
}

// Stats reads all operations. A key takes up to [KeyMemory] and 24 bytes of memory.
func (c *CSV) Stats() (*Stats, error) {
	unit := c.parser.unitNs()
	all := newCollector(unit)
	var r Record
	for c.Next(&r) {
		all.add(&r)
	}
	if c.err != nil {
		return nil, c.err
	}
	s := c.Summary()
	stats, err := all.stats(s, s.LastNs+s.SpreadNs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	return stats, nil
}

type collector struct {
	operations, gets, expiring uint64
	keySizes                   [kvs.MaxKeyBytes + 1]uint64
	valueSizes                 [kvs.MaxValueBytes + 1]uint64
	counts                     []uint64 // operations of each key
	lastBytes                  []uint32 // of a key and its last value
	rates                      rates
}

func newCollector(unitNs int64) *collector {
	return &collector{rates: rates{width: cmp.Or(unitNs, int64(time.Microsecond))}}
}

func (c *collector) add(r *Record) {
	for uint64(len(c.counts)) <= r.Key {
		c.counts, c.lastBytes = append(c.counts, 0), append(c.lastBytes, 0)
	}
	c.operations++
	c.counts[r.Key]++
	c.keySizes[r.KeyBytes]++
	if r.Op == kvs.Get {
		c.gets++
	}
	if r.TTL > 0 {
		c.expiring++
	}
	if r.Op != kvs.Delete {
		c.valueSizes[r.ValueBytes]++
		c.lastBytes[r.Key] = uint32(r.KeyBytes + r.ValueBytes)
	}
	c.rates.add(r.AtNs)
}

// stats of a trace that ends at a time.
func (c *collector) stats(s *Summary, endNs int64) (*Stats, error) {
	if c.operations == 0 {
		return nil, ErrEmpty
	}
	stats := &Stats{
		Summary: s, GetRatio: float64(c.gets) / float64(c.operations), Expiring: c.expiring,
		KeyBytes: spreadOf(c.keySizes[:]), ValueBytes: spreadOf(c.valueSizes[:]),
		Slices: c.rates.slices(endNs),
	}
	for key, n := range c.counts {
		if n == 1 {
			stats.OneHitKeys++
		}
		stats.WorkingSetBytes += uint64(c.lastBytes[key])
	}
	if endNs > 0 {
		stats.RateOps = float64(c.operations) / time.Duration(endNs).Seconds()
	}
	stats.Zipf = fitZipf(c.counts) // sorts them
	return stats, nil
}

// spreadOf describes sizes of which counts[i] are i.
func spreadOf(counts []uint64) (s Spread) {
	n, sum := uint64(0), 0.0
	for size, count := range counts {
		if count > 0 {
			n += count
			sum += float64(size) * float64(count)
			s.Max = size
		}
	}
	if n == 0 {
		return s
	}
	s.Mean = sum / float64(n)
	s.Median, s.P99 = quantile(counts, n, 0.5), quantile(counts, n, 0.99)
	return s
}

func quantile(counts []uint64, n uint64, q float64) int {
	rank, below := uint64(math.Ceil(q*float64(n))), uint64(0)
	for size, count := range counts {
		if below += count; below >= rank {
			return size
		}
	}
	return len(counts) - 1
}

// maxSlices bounds the slices of a trace's time. It has more than half as many.
const maxSlices = 20

// rates counts operations in slices of the trace's time. The slices become twice as wide whenever
// there would be too many.
type rates struct {
	counts [maxSlices]uint64
	width  int64
}

func (r *rates) add(atNs int64) {
	for atNs/r.width >= maxSlices {
		for i := range maxSlices / 2 {
			r.counts[i] = r.counts[2*i] + r.counts[2*i+1]
		}
		clear(r.counts[maxSlices/2:])
		r.width *= 2
	}
	r.counts[atNs/r.width]++
}

// slices returns the slices up to the end. A last slice of less than half the width is a part of
// the one before it.
func (r *rates) slices(endNs int64) (all []Slice) {
	for i, n := range r.counts {
		s := Slice{FromNs: int64(i) * r.width, Operations: n}
		if s.ToNs = min(s.FromNs+r.width, endNs); s.FromNs > endNs {
			break
		}
		if n := len(all); n > 0 && s.ToNs-s.FromNs < r.width/2 {
			s.FromNs, s.Operations = all[n-1].FromNs, s.Operations+all[n-1].Operations
			all = all[:n-1]
		}
		all = append(all, s)
	}
	for i := range all {
		s := &all[i]
		if span := time.Duration(s.ToNs - s.FromNs); span > 0 {
			s.RateOps = float64(s.Operations) / span.Seconds()
		}
	}
	return all
}
