package shm

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// quarantine is how long freed room stays unused. A writer that passed its check earlier has
// finished its copy by then.
const quarantine = 10 * time.Second

// span is a piece of the heap: whole pages.
type span struct{ start, size uint64 }

// rest is a freed span in its quarantine.
type rest struct {
	span
	freed time.Time
}

// heap allocates room in this device's own arena.
type heap struct {
	arena   *arena
	fd      int
	spare   []span // by start; no two of them touch
	resting []rest // oldest first
}

func newHeap(a *arena, fd int) heap {
	return heap{arena: a, fd: fd, spare: []span{{heapStart, uint64(len(a.mapped)) - heapStart}}}
}

// pageBytes is the size of the kernel's pages. The kernel backs and takes back whole ones.
var pageBytes = os.Getpagesize()

// heapStart is the first whole page behind the tables. It equals heapAt if pages have 4 KiB.
var heapStart = toPage(uint64(heapAt))

// toPage rounds up to a page.
func toPage(n uint64) uint64 {
	page := uint64(pageBytes)
	return (n + page - 1) &^ (page - 1)
}

// alloc returns zeroed pages: the start of the first spare span that is large enough.
func (h *heap) alloc(size int) (uint64, error) {
	for len(h.resting) > 0 && time.Since(h.resting[0].freed) >= quarantine {
		h.put(h.resting[0].span)
		h.resting = h.resting[1:]
	}
	need := toPage(uint64(size))
	i := slices.IndexFunc(h.spare, func(s span) bool { return s.size >= need })
	if i < 0 {
		return 0, h.lacks(size)
	}
	start := h.spare[i].start
	if h.spare[i].size == need {
		h.spare = slices.Delete(h.spare, i, i+1)
	} else {
		h.spare[i] = span{start + need, h.spare[i].size - need}
	}
	if err := h.punch(start, need); err != nil { // it removes late writes
		h.put(span{start, need})
		return 0, err
	}
	return start, nil
}

// lacks is the error of an alloc that finds no room.
func (h *heap) lacks(size int) error {
	var largest, resting uint64
	for _, s := range h.spare {
		largest = max(largest, s.size)
	}
	for _, r := range h.resting {
		resting += r.size
	}
	return fmt.Errorf("shared memory: asked for %d bytes, the device of %d has %d left in one "+
		"piece, and %d more at most %v after they were freed", size, len(h.arena.mapped), largest,
		resting, quarantine)
}

// put makes a span spare, and joins it with its neighbours.
func (h *heap) put(s span) {
	i, _ := slices.BinarySearchFunc(h.spare, s.start, func(other span, start uint64) int {
		return cmp.Compare(other.start, start)
	})
	from, to := i, i
	if i > 0 && h.spare[i-1].end() == s.start {
		from--
		s = span{h.spare[from].start, h.spare[from].size + s.size}
	}
	if i < len(h.spare) && s.end() == h.spare[i].start {
		s.size += h.spare[i].size
		to++
	}
	h.spare = slices.Replace(h.spare, from, to, s)
}

func (s span) end() uint64 { return s.start + s.size }

// undo reverses the last alloc. Nobody knows of its room yet, so it needs no quarantine.
func (h *heap) undo(start uint64, size int) error {
	s := span{start, toPage(uint64(size))}
	h.put(s)
	return h.punch(s.start, s.size)
}

// free returns pages to the kernel and, after the quarantine, to alloc.
func (h *heap) free(start uint64, size int) error {
	s := span{start, toPage(uint64(size))}
	h.resting = append(h.resting, rest{s, time.Now()})
	return h.punch(s.start, s.size)
}

func (h *heap) punch(start, size uint64) error {
	if err := unix.Fallocate(h.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(start),
		int64(size)); err != nil {
		return fmt.Errorf("return %d bytes of shared memory: %w", size, err)
	}
	return nil
}
