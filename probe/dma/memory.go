package dma

import (
	"errors"
	"math/bits"
	"strconv"
	"sync"

	"dpukv/internal/offheap"
	"dpukv/probe/memory/stream"
)

// memory is the near buffer and the far region.
type memory struct {
	bytes, step int
	mask        uint64 // number of places in the far region, less one
	near, far   []byte
	regions     [2]*offheap.Region
}

const (
	cacheLine = 64
	// leastFar is the least size of the far region. It counts where the caches are unknown.
	leastFar = 64 << 20
	// stride is odd, so the walk meets each place before it meets one again.
	stride = 0x9e3779b97f4a7c15
)

func newMemory(bytes int) (*memory, error) {
	m := &memory{bytes: bytes, step: stepOf(bytes)}
	size := farBytes(bytes)
	m.mask = uint64(size/m.step - 1)
	var err error
	if m.regions[0], err = offheap.Alloc(bytes, offheap.Auto); err != nil {
		return nil, err
	}
	if m.regions[1], err = offheap.Alloc(size, offheap.Auto); err != nil {
		return nil, errors.Join(err, m.free())
	}
	m.near, m.far = m.regions[0].Bytes()[:bytes], m.regions[1].Bytes()[:size]
	return m, nil
}

// at is the place of copy number i in the far region.
func (m *memory) at(i uint64) []byte {
	from := int(i*stride&m.mask) * m.step
	return m.far[from : from+m.bytes]
}

// ends returns the target and the source of copy number i.
func (m *memory) ends(op string, i uint64) (to, from []byte) {
	if op == read {
		return m.near, m.at(i)
	}
	return m.at(i), m.near
}

func (m *memory) free() error {
	var err error
	for _, r := range m.regions {
		if r != nil {
			err = errors.Join(err, r.Free())
		}
	}
	return err
}

// stepOf keeps copies in cache lines of their own.
func stepOf(bytes int) int { return (bytes + cacheLine - 1) / cacheLine * cacheLine }

// farBytes is the size of the far region: at least four times the last-level cache. The number of
// places is a power of two.
func farBytes(bytes int) int {
	step := stepOf(bytes)
	places := (max(leastFar, 4*lastLevel()) + step - 1) / step
	return step << bits.Len(uint(places-1))
}

// lastLevel is the size of this machine's last-level cache; 0: the kernel does not tell.
var lastLevel = sync.OnceValue(func() int { return int(stream.CacheBytes([]int{0})) })

// AllBytes are the study's sizes of a copy: the powers of two from 2 B to 8 MB.
func AllBytes() (all []string) {
	for n := 2; n <= maxBytes; n *= 2 {
		all = append(all, strconv.Itoa(n))
	}
	return all
}
