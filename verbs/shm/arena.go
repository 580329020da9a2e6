package shm

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arena is one device's memory as mapped into this process: its own, or a peer's.
type arena struct {
	room   []byte // that mapped is a part of
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
	room, m, err := mapAligned(fd, size)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of shared memory: %w; check the limit on address "+
			"space (ulimit -v)", size, err)
	}
	return &arena{room: room, mapped: m, base: unsafe.Pointer(unsafe.SliceData(m))}, nil
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

func (a *arena) unmap() error { return unix.Munmap(a.room) }

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
