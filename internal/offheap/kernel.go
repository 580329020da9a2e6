//go:build !race

package offheap

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// hugeShare reads back from the kernel the share of the region on huge pages.
func (r *Region) hugeShare() float64 {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0
	}
	defer f.Close()
	lo := uint64(uintptr(unsafe.Pointer(&r.bytes[0])))
	hi := lo + uint64(len(r.bytes))
	var huge int64
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if from, to, ok := mappingRange(line); ok {
			inside = from < hi && to > lo
		} else if kb, ok := kilobytes(line, "AnonHugePages:"); ok && inside {
			huge += kb << 10
		}
	}
	// The kernel makes no huge page of the last, partial one.
	whole := len(r.bytes) / hugePageBytes * hugePageBytes
	if whole == 0 {
		return 0
	}
	return float64(huge) / float64(whole)
}

// mappingRange reads the head line of a mapping in smaps: "7f00-7fff rw-p …".
func mappingRange(line string) (from, to uint64, ok bool) {
	span, _, _ := strings.Cut(line, " ")
	lo, hi, found := strings.Cut(span, "-")
	if !found {
		return 0, 0, false
	}
	from, err1 := strconv.ParseUint(lo, 16, 64)
	to, err2 := strconv.ParseUint(hi, 16, 64)
	return from, to, err1 == nil && err2 == nil
}

// kilobytes reads a line such as "AnonHugePages:    2048 kB".
func kilobytes(line, name string) (int64, bool) {
	rest, ok := strings.CutPrefix(line, name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
	return n, err == nil
}
