//go:build !race

package offheap

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePageBytes = 2 << 20

// Region is zeroed memory outside the Go heap.
type Region struct {
	mapped []byte // all that was mapped
	bytes  []byte // the part handed out, aligned to a huge page
	pages  Pages
}

// Alloc maps and touches size bytes. A request for pages that the machine does not have is an
// error, except with [Auto].
func Alloc(size int, pages Pages) (*Region, error) {
	if size <= 0 {
		return nil, fmt.Errorf("allocate %d bytes: want at least one", size)
	}
	if pages == HugeTLB || pages == Auto {
		r, err := allocHugeTLB(size)
		if err == nil || pages == HugeTLB {
			return r, err
		}
	}
	if err := Fits(int64(size), Small); err != nil {
		return nil, err
	}
	return allocSmall(size, pages)
}

func allocHugeTLB(size int) (*Region, error) {
	rounded := roundUp(size, hugePageBytes)
	if err := fitsHugeTLB(os.DirFS("/"), int64(rounded)); err != nil {
		return nil, err
	}
	m, err := unix.Mmap(-1, 0, rounded, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_HUGETLB|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of reserved huge pages: %w; reserve %d with: sysctl "+
			"vm.nr_hugepages=%d",
			size, err, rounded/hugePageBytes, rounded/hugePageBytes)
	}
	return &Region{mapped: m, bytes: m[:size:size], pages: HugeTLB}, nil
}

// allocSmall maps base pages. Unless pages is Small, it asks the kernel to make huge pages of them.
func allocSmall(size int, pages Pages) (*Region, error) {
	m, err := unix.Mmap(-1, 0, size+hugePageBytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w%s", size, err, addressSpace(err))
	}
	skip := -uintptr(unsafe.Pointer(&m[0])) & (hugePageBytes - 1)
	r := &Region{mapped: m, bytes: m[skip : int(skip)+size : int(skip)+size], pages: Small}
	advice := unix.MADV_NOHUGEPAGE
	if pages != Small {
		advice = unix.MADV_HUGEPAGE
	}
	adviceErr := unix.Madvise(r.bytes, advice)
	r.touch()
	if pages == Small {
		return r, nil
	}
	if r.hugeShare() >= .9 {
		r.pages = THP
	} else if pages == THP {
		return nil, errors.Join(fmt.Errorf("transparent huge pages: the kernel backs %.0f %% of "+
			"%d bytes with them; see /sys/kernel/mm/transparent_hugepage/enabled",
			100*r.hugeShare(), size), adviceErr, r.Free())
	}
	return r, nil
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
	for i := 0; i < len(r.bytes); i += 4096 {
		r.bytes[i] = 0
	}
}

// Bytes is the memory. It must not be used after Free.
func (r *Region) Bytes() []byte { return r.bytes }

// Pages is the kind of pages that the memory lies on.
func (r *Region) Pages() Pages { return r.pages }

// Free gives the memory back. Freeing twice is harmless.
func (r *Region) Free() error {
	if r.mapped == nil {
		return nil
	}
	m := r.mapped
	r.mapped, r.bytes = nil, nil
	return unix.Munmap(m)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
