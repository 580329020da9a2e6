package offheap

import (
	"fmt"
	"os"
	"strings"
)

// Pages names a kind of memory pages.
type Pages string

const (
	// Auto takes the first of HugeTLB, THP and Small that the machine has.
	Auto Pages = "auto"
	// HugeTLB are huge pages from one of the kernel's reserved pools. "hugetlb-1g" are those of 1
	// GiB alone, and so on: see [Sized].
	HugeTLB Pages = "hugetlb"
	// THP are transparent huge pages, asked for by madvise.
	THP Pages = "thp"
	// Small are pages of the kernel's base size.
	Small Pages = "base"
	// Heap is the kind of a region under the race detector.
	Heap Pages = "go-heap"
)

// PagesHelp lists the user's notations, for help texts.
const PagesHelp = "auto, hugetlb, hugetlb-2m, hugetlb-1g, thp, base, or base's size (most " +
	"kernels: 4k)"

// Sized names the huge pages of the pool with pages of this size.
func Sized(pageBytes int) Pages { return Pages(Backing{HugeTLB, pageBytes}.String()) }

// reserved reports whether the pages come from a reserved pool, and from none else.
func (p Pages) reserved() bool { return p == HugeTLB || p.pageBytes() > 0 }

// pageBytes is the size in "hugetlb-1g"; 0: there is none.
func (p Pages) pageBytes() int {
	size, ok := strings.CutPrefix(string(p), string(HugeTLB)+"-")
	for bytes := leastHugeBytes; ok && bytes <= mostHugeBytes; bytes *= 2 {
		if size == sizeName(bytes) {
			return bytes
		}
	}
	return 0
}

// ParsePages reads the user's notation. A size names the base pages of a kernel that has this size:
// a kernel with pages of 64 KiB refuses 4k.
func ParsePages(s string) (Pages, error) {
	base := sizeName(os.Getpagesize())
	switch p := Pages(s); {
	case p == Auto, p == THP, p == Small, p.reserved():
		return p, nil
	case p == Pages(base):
		return Small, nil
	}
	return "", fmt.Errorf("pages %q: found a kernel whose base pages are %s; allowed: auto, "+
		"hugetlb, hugetlb-2m to hugetlb-16g, thp, base, %s", s, base, base)
}

// Backing is what the kernel gave: a kind of pages, and their size.
type Backing struct {
	Kind      Pages
	PageBytes int // 0: [Heap] has none
}

// String is the name in results: "4k", "64k", "thp-2m", "hugetlb-512m", "go-heap".
func (b Backing) String() string {
	switch b.Kind {
	case Heap:
		return string(b.Kind)
	case Small:
		return sizeName(b.PageBytes)
	}
	return string(b.Kind) + "-" + sizeName(b.PageBytes)
}

// sizeName is the size of a page, a power of two: "4k", "2m", "1g".
func sizeName(bytes int) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%dg", bytes>>30)
	case bytes >= 1<<20:
		return fmt.Sprintf("%dm", bytes>>20)
	}
	return fmt.Sprintf("%dk", bytes>>10)
}
