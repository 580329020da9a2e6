package shm

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arena is one device's memory as mapped into this process: its own, or a peer's.
type arena struct {
	mapped []byte
	base   unsafe.Pointer // of mapped
	owner  uint64         // address of the owner's mapping
	tag    uint64         // derived from its id: nonzero
}

// newArena makes a memfd of size bytes. It takes no memory until it is touched.
func newArena(size int) (a *arena, fd int, err error) {
	fd, err = unix.MemfdCreate("dpukv-shm", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, -1, fmt.Errorf("memfd_create: %w", err)
	}
	if err = unix.Ftruncate(fd, int64(size)); err != nil {
		err = fmt.Errorf("create a memfd of %d bytes: %w; check the limit on the size of files "+
			"(ulimit -f)", size, err)
	} else if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS,
		unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		err = fmt.Errorf("seal the size of a memfd: %w", err)
	} else {
		a, err = mapArena(fd, size)
	}
	if err != nil {
		return nil, -1, errors.Join(err, unix.Close(fd))
	}
	h := a.header()
	if _, err := rand.Read(h.id[:]); err != nil {
		return nil, -1, errors.Join(err, a.unmap(), unix.Close(fd))
	}
	h.id[0] = 0xfd // formatted as a GID: a unique local address
	h.version, h.size = layoutVersion, uint64(size)
	h.base = uint64(uintptr(a.base))
	h.magic = magic
	a.owner, a.tag = h.base, tagOf(h.id)
	return a, fd, nil
}

func mapArena(fd, size int) (*arena, error) {
	m, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of shared memory: %w; check the limit on address "+
			"space (ulimit -v)", size, err)
	}
	return &arena{mapped: m, base: unsafe.Pointer(unsafe.SliceData(m))}, nil
}

// openArena maps the arena of h, after it has checked the header.
func openArena(h handle) (*arena, error) {
	fd, err := h.open()
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	size, err := checkHeader(fd, h.id)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", h, err)
	}
	a, err := mapArena(fd, size)
	if err != nil {
		return nil, err
	}
	a.owner, a.tag = a.header().base, tagOf(h.id)
	return a, nil
}

// checkHeader checks that a descriptor belongs to a live arena with this id, and that nobody can
// truncate it.
func checkHeader(fd int, id [16]byte) (size int, err error) {
	h, err := readHeader(fd)
	if err != nil {
		return 0, fmt.Errorf("read its header: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	switch {
	case err != nil || h.magic != magic || h.id != id || h.size < heapStart ||
		int64(h.size) != st.Size || seals&unix.F_SEAL_SHRINK == 0:
		return 0, errors.New("that process has another object there: the device is gone")
	case h.version != layoutVersion:
		return 0, fmt.Errorf("layout version: found %d, this program has %d: both ends must be "+
			"the same build", h.version, layoutVersion)
	case h.closed.Load() != 0:
		return 0, errors.New("the device was closed")
	}
	return int(h.size), nil
}

// readHeader copies an arena's header into an aligned one. Arm faults at a misaligned atomic
// access, which amd64 tolerates.
func readHeader(fd int) (*header, error) {
	h := new(header)
	_, err := unix.Pread(fd, unsafe.Slice((*byte)(unsafe.Pointer(h)), unsafe.Sizeof(*h)), 0)
	return h, err
}

func (a *arena) unmap() error { return unix.Munmap(a.mapped) }

func tagOf(id [16]byte) uint64 { return binary.LittleEndian.Uint64(id[8:]) | 1 }

func (a *arena) at(offset uint64) unsafe.Pointer { return unsafe.Add(a.base, offset) }
func (a *arena) header() *header                 { return (*header)(a.base) }

func (a *arena) counter(c counter) *uint64 {
	return (*uint64)(unsafe.Add(a.base, countersAt+wordBytes*uintptr(c)))
}

func (a *arena) region(key uint32) *regionEntry {
	return (*regionEntry)(unsafe.Add(a.base,
		regionsAt+uintptr(key&indexMask)*unsafe.Sizeof(regionEntry{})))
}

func (a *arena) queue(number uint32) *queueEntry {
	return (*queueEntry)(unsafe.Add(a.base,
		queuesAt+uintptr(number&indexMask)*unsafe.Sizeof(queueEntry{})))
}

// quarantine is how long freed room stays unused. A writer that passed its check earlier has
// finished its copy by then.
const quarantine = 10 * time.Second

// span is a freed piece of the heap. It is reused only for the same size.
type span struct {
	start, size uint64
	freed       time.Time
}

// heap allocates room in this device's own arena.
type heap struct {
	arena *arena
	fd    int
	next  uint64
	freed []span // oldest first
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

// alloc returns zeroed pages.
func (h *heap) alloc(size int) (uint64, error) {
	need := toPage(uint64(size))
	for i, s := range h.freed {
		if time.Since(s.freed) < quarantine {
			break
		}
		if s.size == need {
			h.freed = append(h.freed[:i], h.freed[i+1:]...)
			return s.start, h.punch(s.start, s.size) // removes late writes
		}
	}
	if left := uint64(len(h.arena.mapped)) - h.next; need > left {
		return 0, fmt.Errorf("shared memory: asked for %d bytes, the device has %d left of "+
			"%d", size, left,
			len(h.arena.mapped))
	}
	start := h.next
	h.next += need
	return start, nil
}

// undo reverses the last alloc, whose room nobody knows of yet.
func (h *heap) undo(start uint64, size int) error {
	need := toPage(uint64(size))
	if start+need == h.next {
		h.next = start
	} else {
		h.freed = append([]span{{start: start, size: need}}, h.freed...) // no quarantine needed
	}
	return h.punch(start, need)
}

// free returns pages to the kernel and, after the quarantine, to alloc.
func (h *heap) free(start uint64, size int) error {
	need := toPage(uint64(size))
	h.freed = append(h.freed, span{start, need, time.Now()})
	return h.punch(start, need)
}

func (h *heap) punch(start, size uint64) error {
	if err := unix.Fallocate(h.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(start),
		int64(size)); err != nil {
		return fmt.Errorf("return %d bytes of shared memory: %w", size, err)
	}
	return nil
}
