//go:build !race

package offheap

import (
	"bufio"
	"os"
	"testing"
	"unsafe"

	"dpukv/internal/test/must"
)

// TestShareOf: a region of 600 MiB does not lie on transparent pages of 512 MiB.
func TestShareOf(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		huge, size, pageBytes int
		least, most           float64
	}{
		{2 * mib, 3 * mib, 2 * mib, 1, 1},
		{0, 3 * mib, 2 * mib, 0, 0},
		{0, mib, 2 * mib, 0, 0},
		{0, 40 * mib, 512 * mib, 0, 0},
		{512 * mib, 600 * mib, 512 * mib, .85, .86},
		{1024 * mib, 1060 * mib, 512 * mib, .96, .97},
	} {
		got := shareOf(test.huge, test.size, test.pageBytes)
		if got < test.least || got > test.most {
			t.Errorf("%+v: found %f", test, got)
		}
	}
}

// TestBackingIsTheKernels compares the sizes of pages with those that the kernel tells.
func TestBackingIsTheKernels(t *testing.T) {
	for _, pages := range []Pages{Auto, Small} {
		r := must.Get(Alloc(3<<20, pages))(t)
		defer r.Free()
		want := r.Backing().PageBytes
		if r.Backing().Kind == THP {
			want = os.Getpagesize() // the kernel tells the base pages of transparent ones
		}
		if got := kernelPageBytes(t, r); got != want {
			t.Errorf("asked for %s: found %s, the kernel says %d bytes", pages, r.Backing(), got)
		}
	}
}

// TestEveryPool maps one byte of each pool with a free page, and unmaps it: the page is free again.
func TestEveryPool(t *testing.T) {
	mapped := 0
	for i, p := range pools(os.DirFS("/")) {
		if p.free == 0 {
			continue
		}
		mapped++
		r, err := p.alloc(1)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if got := kernelPageBytes(t, r); got != p.pageBytes || r.Backing() != (Backing{HugeTLB, got}) {
			t.Errorf("%s: found %s, the kernel says %d bytes", p, r.Backing(), got)
		}
		if err := r.Free(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		if left := pools(os.DirFS("/"))[i].free; left != p.free {
			t.Errorf("%s: %d free after a region came and went", p, left)
		}
	}
	if mapped == 0 {
		t.Skip("no pool of huge pages has a free one: make test-arm64-64k runs the test with one")
	}
}

// kernelPageBytes reads the size of a region's pages from the kernel.
func kernelPageBytes(t *testing.T, r *Region) int {
	t.Helper()
	f := must.Get(os.Open("/proc/self/smaps"))(t)
	defer f.Close()
	at := uint64(uintptr(unsafe.Pointer(&r.bytes[0])))
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if from, to, ok := mappingRange(lines.Text()); ok {
			inside = from <= at && at < to
		} else if kb, ok := kilobytes(lines.Text(), "KernelPageSize:"); ok && inside {
			return int(kb) << 10
		}
	}
	t.Fatalf("no mapping of %#x in /proc/self/smaps", at)
	return 0
}
