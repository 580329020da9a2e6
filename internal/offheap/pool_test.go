package offheap

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"
)

// withPool adds a pool to a machine.
func withPool(root fstest.MapFS, pageBytes, total, free int) fstest.MapFS {
	dir := fmt.Sprintf("%s/hugepages-%dkB/", poolsDir, pageBytes>>10)
	root[dir+"nr_hugepages"] = &fstest.MapFile{Data: fmt.Appendln(nil, total)}
	root[dir+"free_hugepages"] = &fstest.MapFile{Data: fmt.Appendln(nil, free)}
	return root
}

// bluefield is a machine with pages of 64 KiB, whose default pool has pages of 512 MiB.
func bluefield() fstest.MapFS {
	root := system(map[string]string{
		"sys/kernel/mm/transparent_hugepage/hpage_pmd_size": "536870912\n",
	})
	withPool(root, 16<<30, 0, 0)
	withPool(root, 512<<20, 3, 3)
	return withPool(root, 2<<20, 8, 3)
}

func TestPools(t *testing.T) {
	withSmall := withPool(bluefield(), 64<<10, 4, 4)
	got := fmt.Sprint(pools(withSmall))
	if want := "[2m: 3 of 8 free 512m: 3 of 3 free 16g: 0 of 0 free]"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	if got := fmt.Sprint(pools(system())); got != "[2m: 0 of 0 free]" {
		t.Errorf("a machine that hides its pools: found %s, want to ask for 2m", got)
	}
}

// TestAutoWastesNoHugePages: a region of some KiB takes no page of 512 MiB.
func TestAutoWastesNoHugePages(t *testing.T) {
	for _, test := range []struct {
		size int
		want bool
	}{
		{1, true}, // in 2 MiB
		{6 << 20, true},
		{6<<20 + 1, false}, // 2 MiB have not enough, 512 MiB would be empty
		{255 << 20, false},
		{256 << 20, true},
		{1536 << 20, true},
		{1536<<20 + 1, false},
	} {
		if got := pooled(bluefield(), test.size); got != test.want {
			t.Errorf("%d bytes from a pool: found %t, want %t", test.size, got, test.want)
		}
	}
}

// TestShortOfNamesTheCommand: the command reserves pages of 2 MiB, whatever the default size is, and
// keeps those that are in use.
func TestShortOfNamesTheCommand(t *testing.T) {
	err := shortOf(9<<20, pools(bluefield()), unix.ENOMEM)
	for _, want := range []string{
		"map 9437184 bytes", "2m: 3 of 8 free, 512m: 3 of 3 free",
		"echo 10 | sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("found %q, want %q in it", err, want)
		}
	}
}

// TestSizedPages: a pool that was asked for by its size is the only one, and its lack an error.
func TestSizedPages(t *testing.T) {
	for s, want := range map[Pages]int{
		"hugetlb-2m": 2 << 20, "hugetlb-1g": 1 << 30, "hugetlb-16g": 16 << 30, HugeTLB: 0, THP: 0,
	} {
		if got := s.pageBytes(); got != want {
			t.Errorf("%s: found pages of %d bytes, want %d", s, got, want)
		}
	}
	if err := fits(system(), 100<<30, "hugetlb-1g"); err != nil {
		t.Errorf("pages of a pool count as available memory: %v", err)
	}
	const want = "pages hugetlb-1g: found none of that size on this machine; allowed: hugetlb-2m, " +
		"hugetlb-512m, hugetlb-16g, or the kernel parameter hugepagesz=1G"
	if got := lacks("hugetlb-1g", pools(bluefield())).Error(); !strings.HasPrefix(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	r, err := Alloc(1<<20, "hugetlb-16g") // of which no tested machine has one to spare
	if err == nil && r.Backing().Kind != Heap {
		t.Errorf("found %s instead of a page of 16 GiB", r.Backing())
	}
}

func TestTransparentBytes(t *testing.T) {
	if got := transparentBytes(bluefield()); got != 512<<20 {
		t.Errorf("found %d, want 512 MiB", got)
	}
	want := map[int]int{4 << 10: 2 << 20, 16 << 10: 32 << 20, 64 << 10: 512 << 20}[os.Getpagesize()]
	if got := transparentBytes(system()); got != want {
		t.Errorf("a kernel that does not tell: found %d, want %d", got, want)
	}
}
