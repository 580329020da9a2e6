//go:build !race

package offheap

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Region is zeroed memory outside the Go heap.
type Region struct {
	mapped  []byte // all that was mapped
	bytes   []byte // the part handed out
	backing Backing
}

// Alloc maps and touches size bytes. A request for pages that the machine does not have is an
// error, except with [Auto].
func Alloc(size int, pages Pages) (*Region, error) {
	if size <= 0 {
		return nil, fmt.Errorf("allocate %d bytes: want at least one", size)
	}
	if pages.reserved() || pages == Auto {
		r, err := allocHugeTLB(size, pages)
		if err == nil || pages.reserved() {
			return r, err
		}
	}
	if err := Fits(int64(size), Small); err != nil {
		return nil, err
	}
	return allocSmall(size, pages)
}

// allocHugeTLB takes the pool with the smallest pages of those that have enough.
func allocHugeTLB(size int, pages Pages) (*Region, error) {
	found := pools(os.DirFS("/"))
	if bytes := pages.pageBytes(); bytes > 0 {
		at := slices.IndexFunc(found, func(p pool) bool { return p.pageBytes == bytes })
		if at < 0 {
			return nil, lacks(pages, found)
		}
		found = found[at : at+1]
	}
	var first error
	for _, p := range found {
		if pages == Auto && !p.suits(size) {
			continue
		}
		r, err := p.alloc(size)
		if err == nil {
			return r, nil
		}
		first = cmp.Or(first, err)
	}
	if first != nil && !errors.Is(first, unix.ENOMEM) {
		return nil, first // the control group's limit, with its own advice
	}
	return nil, shortOf(size, found, cmp.Or(first, error(unix.ENOMEM)))
}

// alloc asks for the size of pages by name: the kernel's default may be another. It unmaps whole
// pages only, so the mapping has whole pages.
func (p pool) alloc(size int) (*Region, error) {
	rounded := roundUp(size, p.pageBytes)
	if err := fitsHugeTLB(os.DirFS("/"), int64(rounded), p.pageBytes); err != nil {
		return nil, err
	}
	m, err := unix.Mmap(-1, 0, rounded, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_HUGETLB|unix.MAP_POPULATE|
			bits.TrailingZeros(uint(p.pageBytes))<<unix.MAP_HUGE_SHIFT)
	if err != nil {
		return nil, err
	}
	return &Region{m, m[:size:size], Backing{HugeTLB, p.pageBytes}}, nil
}

// allocSmall maps base pages. Unless pages is Small, it asks the kernel to make huge pages of them.
func allocSmall(size int, pages Pages) (*Region, error) {
	huge := 0 // the size of huge pages; 0: the region shall have none, or holds none
	if pages != Small {
		if huge = TransparentBytes(); size < huge {
			huge = 0
		}
	}
	m, err := unix.Mmap(-1, 0, size+huge, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w%s", size, err, addressSpace(err))
	}
	skip := 0
	if huge > 0 {
		skip = int(-uintptr(unsafe.Pointer(&m[0])) & uintptr(huge-1))
	}
	r := &Region{m, m[skip : skip+size : skip+size], Backing{Small, os.Getpagesize()}}
	if err := r.back(pages, huge); err != nil {
		return nil, errors.Join(err, r.Free())
	}
	return r, nil
}

// back makes the kernel back the region, and reads the kind of pages back.
func (r *Region) back(pages Pages, huge int) error {
	advice := unix.MADV_HUGEPAGE
	if huge == 0 {
		advice = unix.MADV_NOHUGEPAGE
	}
	// A kernel without transparent huge pages knows neither advice. What it gives is read back.
	if err := unix.Madvise(r.bytes, advice); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("advice on the pages of %d bytes: %w", len(r.bytes), err)
	}
	r.touch()
	share := 0.0
	if huge > 0 {
		var err error
		if share, err = r.hugeShare(huge); err != nil {
			return err
		}
	}
	switch {
	case share >= .9:
		r.backing = Backing{THP, huge}
	case pages == THP:
		return fmt.Errorf("transparent huge pages: the kernel backs %.0f %% of %d bytes with "+
			"them, and each has %s; see /sys/kernel/mm/transparent_hugepage/enabled, or ask for "+
			"auto", 100*share, len(r.bytes), sizeName(TransparentBytes()))
	}
	return nil
}

// addressSpace names the limit of this process that a failed mapping may have hit.
func addressSpace(err error) string {
	if !errors.Is(err, unix.ENOMEM) {
		return ""
	}
	for _, l := range []struct {
		number int
		name   string
	}{{unix.RLIMIT_AS, "address space (ulimit -v)"}, {unix.RLIMIT_DATA, "data (ulimit -d)"}} {
		var r unix.Rlimit
		if unix.Getrlimit(l.number, &r) == nil && r.Cur != unix.RLIM_INFINITY {
			return fmt.Sprintf("; this process has a limit of %s on its %s: raise it, or ask for "+
				"fewer items or a smaller log",
				mib(int64(r.Cur)), l.name)
		}
	}
	return "; does vm.overcommit_memory allow it?"
}

// touch makes the kernel back every page now.
func (r *Region) touch() {
	for i := 0; i < len(r.bytes); i += os.Getpagesize() {
		r.bytes[i] = 0
	}
}

// Bytes is the memory. It must not be used after Free.
func (r *Region) Bytes() []byte { return r.bytes }

// Backing is the kind and the size of the pages that the memory lies on.
func (r *Region) Backing() Backing { return r.backing }

// Free gives the memory back. Freeing twice is harmless.
func (r *Region) Free() error {
	if r.mapped == nil {
		return nil
	}
	m := r.mapped
	r.mapped, r.bytes = nil, nil
	return unix.Munmap(m)
}
