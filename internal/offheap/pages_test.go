package offheap

import (
	"os"
	"strings"
	"testing"
)

func TestParsePages(t *testing.T) {
	for s, want := range map[string]Pages{
		"auto": Auto, "hugetlb": HugeTLB, "thp": THP, "base": Small,
		"hugetlb-1g": Sized(1 << 30), "hugetlb-512m": "hugetlb-512m",
		sizeName(os.Getpagesize()): Small,
	} {
		if p, err := ParsePages(s); err != nil || p != want {
			t.Errorf("ParsePages(%q) = %q, %v", s, p, err)
		}
	}
	// 8 KiB are no base page of amd64 or arm64.
	for _, s := range []string{"1G", "8k", "go-heap", "", "hugetlb-", "hugetlb-1G", "hugetlb-64k", "hugetlb-3m"} {
		_, err := ParsePages(s)
		if err == nil || !strings.Contains(err.Error(), sizeName(os.Getpagesize())) {
			t.Errorf("ParsePages(%q): %v, want an error with the size of base pages", s, err)
		}
	}
}

// TestBackingHasTheSize: a result tells pages of 512 MiB from pages of 2 MiB.
func TestBackingHasTheSize(t *testing.T) {
	for want, b := range map[string]Backing{
		"4k": {Small, 4096}, "64k": {Small, 65536}, "thp-2m": {THP, 2 << 20}, "thp-512m": {THP, 512 << 20},
		"hugetlb-2m": {HugeTLB, 2 << 20}, "hugetlb-16g": {HugeTLB, 16 << 30}, "go-heap": {Kind: Heap},
	} {
		if b.String() != want {
			t.Errorf("%#v is %s, want %s", b, b, want)
		}
	}
}
