package offheap

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// leastHugeBytes is the least size of pages that this package takes for huge. Smaller ones, such as
// arm64's of 64 KiB, hardly help against misses of the TLB.
const leastHugeBytes = 2 << 20

// mostHugeBytes is the greatest size of pages that a processor has.
const mostHugeBytes = 16 << 30

const poolsDir = "sys/kernel/mm/hugepages"

// pool is one of the kernel's pools of reserved huge pages.
type pool struct{ pageBytes, total, free int }

// pools lists the pools, smallest pages first. A machine that lists none may hide them: a request
// for pages of 2 MiB then tells.
func pools(root fs.FS) (found []pool) {
	dirs, _ := fs.Glob(root, poolsDir+"/hugepages-*kB") // the pattern is right
	for _, dir := range dirs {
		kilo := strings.TrimSuffix(strings.TrimPrefix(path.Base(dir), "hugepages-"), "kB")
		n, err := strconv.Atoi(kilo)
		if err != nil || n<<10 < leastHugeBytes {
			continue
		}
		total, _ := number(root, dir+"/nr_hugepages")
		free, _ := number(root, dir+"/free_hugepages")
		found = append(found, pool{n << 10, int(total), int(free)})
	}
	if found == nil {
		return []pool{{pageBytes: leastHugeBytes}}
	}
	slices.SortFunc(found, func(a, b pool) int { return cmp.Compare(a.pageBytes, b.pageBytes) })
	return found
}

// suits reports whether [Auto] may take this pool: large pages must not be half empty.
func (p pool) suits(size int) bool {
	return p.pageBytes == leastHugeBytes || 2*size >= roundUp(size, p.pageBytes)
}

// String is the pool's state.
func (p pool) String() string {
	return fmt.Sprintf("%s: %d of %d free", sizeName(p.pageBytes), p.free, p.total)
}

// mend is the command that makes the pool large enough for size more bytes.
func (p pool) mend(size int) string {
	return fmt.Sprintf("echo %d | sudo tee /%s/hugepages-%dkB/nr_hugepages",
		p.total-p.free+roundUp(size, p.pageBytes)/p.pageBytes, poolsDir, p.pageBytes>>10)
}

// lacks is the error of a machine without a pool of these pages.
func lacks(pages Pages, found []pool) error {
	var sizes []string
	for _, p := range found {
		sizes = append(sizes, string(Sized(p.pageBytes)))
	}
	return fmt.Errorf("pages %s: found none of that size on this machine; allowed: %s, or the "+
		"kernel parameter hugepagesz=%s, where the processor has such pages (x86: pdpe1gb)", pages,
		strings.Join(sizes, ", "), strings.ToUpper(sizeName(pages.pageBytes())))
}

// shortOf is the error of a machine whose pools lack size bytes.
func shortOf(size int, found []pool, err error) error {
	states := make([]string, len(found))
	for i, p := range found {
		states[i] = p.String()
	}
	return fmt.Errorf("map %d bytes of reserved huge pages: %w; found pages of %s; reserve some "+
		"with: %s", size, err, strings.Join(states, ", "), found[0].mend(size))
}

// pooled reports whether a pool that [Auto] may take has size free bytes.
func pooled(root fs.FS, size int) bool {
	return slices.ContainsFunc(pools(root), func(p pool) bool {
		return p.suits(size) && p.free*p.pageBytes >= size
	})
}

// TransparentBytes is the size of transparent huge pages here.
var TransparentBytes = sync.OnceValue(func() int { return transparentBytes(os.DirFS("/")) })

// transparentBytes is the size of transparent huge pages. Kernels before 4.11 do not tell it: it is
// what one page of a page table's entries maps.
func transparentBytes(root fs.FS) int {
	if n, ok := number(root, "sys/kernel/mm/transparent_hugepage/hpage_pmd_size"); ok && n > 0 {
		return int(n)
	}
	return os.Getpagesize() / 8 * os.Getpagesize()
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
