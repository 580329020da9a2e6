package shm

import (
	"errors"
	"unsafe"

	"dpukv/internal/machine"
	"dpukv/internal/offheap"

	"golang.org/x/sys/unix"
)

// mapAligned maps a memfd at a multiple of the size of huge pages. The kernel aligns such a mapping
// only where transparent huge pages of shared memory are on, and they are mostly off. huge: that
// size; 0: none.
func mapAligned(fd, size, huge int) ([]byte, error) {
	whole := uintptr(size + huge)
	reserved, err := unix.MmapPtr(-1, 0, nil, whole, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	before := -uintptr(reserved) & uintptr(huge-1)
	at := unsafe.Add(reserved, before)
	if _, err := unix.MmapPtr(fd, 0, at, uintptr(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE|unix.MAP_FIXED); err != nil {
		return nil, errors.Join(err, unix.MunmapPtr(reserved, whole))
	}
	behind := before + (uintptr(size)+uintptr(pageBytes)-1)&^uintptr(pageBytes-1)
	err = errors.Join(unmapRest(reserved, before),
		unmapRest(unsafe.Add(reserved, behind), whole-behind))
	return unsafe.Slice((*byte)(at), size), err
}

func unmapRest(at unsafe.Pointer, size uintptr) error {
	if size < uintptr(pageBytes) {
		return nil
	}
	return unix.MunmapPtr(at, size)
}

// collapse has the kernel put a backed part of the arena on transparent huge pages, which it does
// for this advice whatever its setting for shared memory is. It returns the kind of pages. Peers
// that map the arena have the same ones. Where the kernel cannot, small pages remain: READs of
// random places then take longer, as each misses the TLB.
func (a *arena) collapse(start, size uint64) offheap.Backing {
	small := offheap.Backing{Kind: offheap.Small, PageBytes: pageBytes}
	if machine.Emulator() != "" { // it knows no such advice, and says that it has followed it
		return small
	}
	huge := uint64(offheap.TransparentBytes())
	first, end := (start+huge-1)&^(huge-1), (start+size)&^(huge-1)
	if end <= first || end-first < size/2 {
		return small
	}
	if err := unix.Madvise(a.mapped[first:end], unix.MADV_COLLAPSE); err != nil {
		return small
	}
	return offheap.Backing{Kind: offheap.THP, PageBytes: int(huge)}
}
