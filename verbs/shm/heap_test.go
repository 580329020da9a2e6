package shm

import (
	"errors"
	"slices"
	"testing"

	"dpukv/internal/offheap"
	"dpukv/internal/test/must"

	"pgregory.net/rapid"
)

// allFree checks that a heap without regions is one spare span again.
func allFree(t interface {
	Helper()
	Fatalf(string, ...any)
}, h *heap,
) {
	t.Helper()
	if want := newHeap(h.arena, h.fd).spare; !slices.Equal(h.spare, want) || len(h.resting) > 0 {
		t.Fatalf("found spare %v and resting %v, want all of %v", h.spare, h.resting, want)
	}
}

// age ends the quarantine of all that is freed.
func (h *heap) age() {
	for i := range h.resting {
		h.resting[i].freed = h.resting[i].freed.Add(-quarantine)
	}
}

// TestHeap allocates and frees rooms of random sizes in random orders. Rooms never overlap, they
// come zeroed, and in the end everything is free and in one piece.
func TestHeap(t *testing.T) {
	d := openSmall(t)
	h := &d.heap
	rapid.Check(t, func(rt *rapid.T) {
		var rooms []room
		rt.Repeat(map[string]func(*rapid.T){
			"alloc": func(rt *rapid.T) {
				size := rapid.IntRange(1, 40*pageBytes).Draw(rt, "size")
				start, err := h.alloc(size)
				if err != nil {
					return // the rest of the test says whether it is there again
				}
				r := room{start, size}
				r.check(rt, h, rooms)
				rooms = append(rooms, r)
			},
			"free": func(rt *rapid.T) {
				give(rt, &rooms, h.free)
			},
			"undo": func(rt *rapid.T) {
				give(rt, &rooms, h.undo)
			},
			"age": func(*rapid.T) { h.age() },
		})
		for len(rooms) > 0 {
			give(rt, &rooms, h.free)
		}
		h.age()
		// The largest room that there can be.
		all := len(h.arena.mapped) - int(heapStart)
		start, err := h.alloc(all)
		if err != nil || start != heapStart {
			rt.Fatalf("all of the heap: at %#x, %v", start, err)
		}
		if err := h.undo(start, all); err != nil {
			rt.Fatal(err)
		}
		allFree(rt, h)
	})
}

// room is a piece of the heap that the test has.
type room struct {
	start uint64
	size  int
}

// check compares a new room with the others, and writes into it.
func (r room) check(t *rapid.T, h *heap, others []room) {
	for _, o := range others {
		if r.start < o.start+uint64(o.size) && o.start < r.start+uint64(r.size) {
			t.Fatalf("%d bytes at %#x overlap %d at %#x", r.size, r.start, o.size, o.start)
		}
	}
	end := r.start + uint64(r.size)
	if r.start < heapStart || end > uint64(len(h.arena.mapped)) {
		t.Fatalf("%d bytes at %#x lie outside", r.size, r.start)
	}
	first, last := &h.arena.mapped[r.start], &h.arena.mapped[end-1]
	if *first != 0 || *last != 0 {
		t.Fatalf("%d bytes at %#x are not zeroed", r.size, r.start)
	}
	*first, *last = 1, 1
}

// give gives one of the rooms back.
func give(t *rapid.T, rooms *[]room, back func(uint64, int) error) {
	if len(*rooms) == 0 {
		return
	}
	i := rapid.IntRange(0, len(*rooms)-1).Draw(t, "room")
	r := (*rooms)[i]
	*rooms = slices.Delete(*rooms, i, i+1)
	if err := back(r.start, r.size); err != nil {
		t.Fatal(err)
	}
}

// TestGrowingRegions: regions of growing size, one at a time, never use the arena up.
func TestGrowingRegions(t *testing.T) {
	d := openSmall(t)
	p := must.Get(d.AllocPD())(t)
	for size := pageBytes; size <= smallBytes/2; size += pageBytes {
		m := must.Get(p.AllocMR(size, 0))(t)
		must.Do(t, m.Close())
		d.heap.age()
	}
}

// TestQuarantine: freed room is not used again before its time.
func TestQuarantine(t *testing.T) {
	d := openSmall(t)
	p := must.Get(d.AllocPD())(t)
	first := must.Get(p.AllocMR(pageBytes, 0))(t)
	start := first.(*mr).start
	must.Do(t, first.Close())
	if next := must.Get(p.AllocMR(pageBytes, 0))(t).(*mr); next.start == start {
		t.Error("room was used again at once")
	}
	d.heap.age()
	if next := must.Get(p.AllocMR(pageBytes, 0))(t).(*mr); next.start != start {
		t.Errorf("found room at %#x, want the free one at %#x", next.start, start)
	}
}

// TestSmallRegionsAddUp: regions of any size count against the memory that is left.
func TestSmallRegionsAddUp(t *testing.T) {
	const memory, size = 8 << 20, 64 << 10
	d := openDevice(t)
	taken := 0
	d.available = func(more int64, _ offheap.Pages) error {
		if taken+int(more) > memory {
			return errors.New("no memory")
		}
		return nil
	}
	p := must.Get(d.AllocPD())(t)
	for ; ; taken += size {
		if _, err := p.AllocMR(size, 0); err != nil {
			break
		}
		if taken > memory+fitsFrom {
			t.Fatalf("%d bytes were taken of %d", taken, memory)
		}
	}
	if taken < memory-fitsFrom {
		t.Errorf("%d bytes were taken of %d", taken, memory)
	}
	if _, err := p.AllocMR(size, 0); err == nil {
		t.Error("a region after the refused one was taken")
	}
}
