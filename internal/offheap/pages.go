package offheap

import (
	"fmt"
	"os"
)

// Pages names a kind of memory pages.
type Pages string

const (
	// Auto takes the first of HugeTLB, THP and Small that the machine has.
	Auto Pages = "auto"
	// HugeTLB are huge pages from one of the kernel's reserved pools.
	HugeTLB Pages = "hugetlb"
	// THP are transparent huge pages, asked for by madvise.
	THP Pages = "thp"
	// Small are pages of the kernel's base size.
	Small Pages = "base"
	// Heap is the kind of a region under the race detector.
	Heap Pages = "go-heap"
)

// PagesHelp lists the user's notations, for help texts.
const PagesHelp = "auto, hugetlb, thp, base, or base's size (most kernels: 4k)"

// ParsePages reads the user's notation. A size names the base pages of a kernel that has this size:
// a kernel with pages of 64 KiB refuses 4k.
func ParsePages(s string) (Pages, error) {
	base := sizeName(os.Getpagesize())
	switch p := Pages(s); p {
	case Auto, HugeTLB, THP, Small:
		return p, nil
	case Pages(base):
		return Small, nil
	}
	return "", fmt.Errorf("pages %q: found a kernel whose base pages are %s; allowed: auto, "+
		"hugetlb, thp, base, %s", s, base, base)
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
