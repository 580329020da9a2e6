package partition

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dpukv/kvs"

	"github.com/go-faster/city"
)

// burden runs operations against one partition and limits how much of the log each may examine.
type burden struct {
	t        *testing.T
	p        *Partition
	core     *Core
	most     func(n uint64) uint64 // bytes that appending n may pass
	appended uint64
}

func (b *burden) do(code kvs.Op, n, valueBytes int) kvs.Status {
	b.t.Helper()
	key := wordKey(n)
	op := []Op{{Code: code, Key: key, Hash: city.Hash64(key), Value: make([]byte, valueBytes)}}
	before := b.p.space.passed
	b.core.Execute(op, nil)
	size := uint64(itemBytes(len(key), valueBytes))
	if passed := b.p.space.passed - before; passed > b.most(size) {
		b.t.Fatalf("%s of %d bytes passed %d bytes of the log: want at most %d",
			code, size, passed, b.most(size))
	}
	if op[0].Status == kvs.OK && code != kvs.Delete {
		b.appended += size
	}
	return op[0].Status
}

// fill stores items of these sizes in turn until one is refused, or the log has wrapped around.
func (b *burden) fill(sizes []int) (items int) {
	for b.p.space.passed < b.p.space.capacity() {
		if b.do(kvs.Add, items, sizes[items%len(sizes)]) == kvs.Full {
			break
		}
		items++
	}
	return items
}

const (
	tiny  = 0
	large = kvs.MaxValueBytes
)

// fillings are logs that are hard to clean: few large items, many small ones, and both in turn.
var fillings = map[string][]int{"tiny": {tiny}, "large": {large}, "in turn": {large, tiny}}

// TestWorkOfStore checks the work of cleaning. No operation makes a store examine more of its log
// than its pace allows. No sequence of them exceeds the pace of all bytes it appended, whatever the
// sizes, even if only the items die that the cleaning has passed last.
func TestWorkOfStore(t *testing.T) {
	logs := []int64{1 << 20, 6 << 20, 16 << 20}
	if testing.Short() {
		logs = logs[:1]
		t.Log("a short run: the smallest log")
	}
	for _, logBytes := range logs {
		for name, sizes := range fillings {
			for _, size := range []int{tiny, 700, large} {
				if logBytes > 6<<20 && size != large {
					continue // many items: slow, and no other than in a smaller log
				}
				t.Run(fmt.Sprintf("%dMiB-%s-%d", logBytes>>20, name, size), func(t *testing.T) {
					cfg := smallest(Store, EREW)
					cfg.Items, cfg.LogBytes = int(logBytes)/24, logBytes
					workOfStore(t, newTable(t, cfg), sizes, size)
				})
			}
		}
	}
}

// TestPace checks that large logs have the minimum pace, and small ones a pace that their slack
// allows.
func TestPace(t *testing.T) {
	for _, c := range []struct{ capacity, pace uint64 }{
		{1 << 20, maxPace},
		{5_400_000, maxPace},
		{5_500_000, 61},
		{16 << 20, 20},
		{64_000_000, minPace},
		{1 << 40, minPace},
	} {
		if got := newCircular(c.capacity + firstOffset).pace; got != c.pace {
			t.Errorf("a log of %d bytes has pace %d, want %d", c.capacity, got, c.pace)
		}
	}
}

func workOfStore(t *testing.T, table *Table, sizes []int, size int) {
	p := &table.partitions[0]
	b := &burden{t: t, p: p, core: table.Core(0), most: func(n uint64) uint64 {
		most := p.space.pace*n + maxItemBytes
		if p.space.pace == maxPace {
			return max(most, p.space.capacity()) // see paceOf
		}
		return most
	}}
	if p.space.capacity() > 5_500_000 != (p.space.pace < maxPace) {
		t.Errorf("a log of %d bytes has pace %d", p.space.capacity(), p.space.pace)
	}
	items := b.fill(sizes)
	b.appended = 0
	filled := p.space.passed
	rng := rand.New(rand.NewPCG(1, 2))
	turns := min(3000, 4*int(p.space.capacity())/itemBytes(8, size))
	for n := items; n < items+turns; n++ {
		for range 40 { // make room: some item that the head passed lately, else any
			if b.do(kvs.Add, n, size) != kvs.Full {
				break
			}
			b.do(kvs.Delete, b.youngest(rng, n), 0)
		}
	}
	p.checkInvariants(t)
	passed, most := p.space.passed-filled, p.space.pace*b.appended+maxItemBytes
	if p.space.pace < maxPace && passed > most {
		t.Errorf("%d bytes passed for %d appended: want at most %d", passed, b.appended, most)
	}
}

// youngest returns the item that lies nearest to the tail, as the item moved last does.
func (b *burden) youngest(rng *rand.Rand, items int) (best int) {
	age := b.p.space.capacity() + 1
	for range 8 {
		n := rng.IntN(items)
		key := wordKey(n)
		if ref, _, ok := b.p.find(city.Hash64(key), key); ok && b.p.space.age(ref.offset()) < age {
			best, age = n, b.p.space.age(ref.offset())
		}
	}
	return best
}

// TestWorkOfCache checks that a cache evicts the room of an item and the padding before it, and at
// most one item more.
func TestWorkOfCache(t *testing.T) {
	for name, sizes := range fillings {
		t.Run(name, func(t *testing.T) {
			cfg := smallest(Cache, EREW)
			cfg.Items = 1 << 16
			table := newTable(t, cfg)
			b := &burden{t: t, p: &table.partitions[0], core: table.Core(0)}
			b.most = func(n uint64) uint64 { return 2*n + maxItemBytes }
			items := b.fill(sizes)
			for n := items; n < items+5000; n++ {
				b.do(kvs.Set, n, []int{tiny, large, 700}[n%3])
			}
			b.p.checkInvariants(t)
		})
	}
}
