package offheap

import "fmt"

// Pages names a kind of memory pages.
type Pages string

const (
	// Auto takes the first of HugeTLB, THP and Small that the machine has.
	Auto Pages = "auto"
	// HugeTLB are huge pages from the kernel's reserved pool.
	HugeTLB Pages = "hugetlb"
	// THP are transparent huge pages, asked for by madvise.
	THP Pages = "thp"
	// Small are pages of the machine's base size.
	Small Pages = "4k"
	// Heap is the kind of a region under the race detector.
	Heap Pages = "go-heap"
)

// ParsePages reads the user's notation.
func ParsePages(s string) (Pages, error) {
	switch p := Pages(s); p {
	case Auto, HugeTLB, THP, Small:
		return p, nil
	}
	return "", fmt.Errorf("pages %q: want auto, hugetlb, thp or 4k", s)
}
