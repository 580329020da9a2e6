package shm

import (
	"errors"
	"unsafe"

	"dpukv/internal/machine"
	"dpukv/internal/offheap"

	"golang.org/x/sys/unix"
)

// mapAligned maps a memfd at a multiple of the size of huge pages. The kernel aligns such a mapping
// only where transparent huge pages of shared memory are on, and they are mostly off. room has the
// mapping, and is what to unmap.
func mapAligned(fd, size int) (room, mapped []byte, err error) {
	huge := offheap.TransparentBytes()
	room, err = unix.Mmap(-1, 0, size+huge, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, nil, err
	}
	start := unsafe.Pointer(unsafe.SliceData(room))
	skip := int(-uintptr(start) & uintptr(huge-1))
	_, err = unix.MmapPtr(fd, 0, unsafe.Add(start, skip), uintptr(size),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE|unix.MAP_FIXED)
	if err != nil {
		return nil, nil, errors.Join(err, unix.Munmap(room))
	}
	return room, room[skip : skip+size : skip+size], nil
}

// collapse has the kernel put a backed part of the arena on transparent huge pages, which it does
// for this advice whatever its setting for shared memory is. It returns the kind of pages. Peers
// that map the arena have the same ones. Where the kernel cannot, small pages remain: READs of
// random places then take longer, as each misses the TLB.
func (a *arena) collapse(start, size uint64) offheap.Backing {
	huge := uint64(offheap.TransparentBytes())
	first, end := (start+huge-1)&^(huge-1), (start+size)&^(huge-1)
	if end <= first || end-first < size/2 ||
		machine.Emulator() != "" || // it knows no such advice, and says that it has followed it
		unix.Madvise(a.mapped[first:end], unix.MADV_COLLAPSE) != nil {
		return offheap.Backing{Kind: offheap.Small, PageBytes: pageBytes}
	}
	return offheap.Backing{Kind: offheap.THP, PageBytes: int(huge)}
}
