package machine

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

func memoryBytes(fs root) int64 {
	for line := range strings.Lines(fs.read("proc/meminfo")) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			return kilobytes(rest)
		}
	}
	return 0
}

// thpBytes is the size of transparent huge pages.
func thpBytes(fs root) int64 {
	n, err := strconv.ParseInt(fs.read("sys/kernel/mm/transparent_hugepage/hpage_pmd_size"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// hugePages lists the pools, smallest pages first.
func hugePages(fs root) []HugePagePool {
	var pools []HugePagePool
	for _, dir := range fs.glob("sys/kernel/mm/hugepages/hugepages-*") {
		pageBytes := kilobytes(strings.TrimPrefix(path.Base(dir), "hugepages-"))
		total, err := strconv.Atoi(fs.read(dir + "/nr_hugepages"))
		free, err2 := strconv.Atoi(fs.read(dir + "/free_hugepages"))
		if pageBytes > 0 && err == nil && err2 == nil {
			pools = append(pools, HugePagePool{PageBytes: pageBytes, Total: total, Free: free})
		}
	}
	slices.SortFunc(pools, func(a, b HugePagePool) int {
		return cmp.Compare(a.PageBytes, b.PageBytes)
	})
	return pools
}

// kilobytes reads "2048kB" or "8054772 kB" as bytes.
func kilobytes(s string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "kB")),
		10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
