//go:build !race

package offheap

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// hugeShare reads back from the kernel the share of the region on transparent huge pages of this
// size.
func (r *Region) hugeShare(pageBytes int) (float64, error) {
	huge, err := r.transparent()
	if err != nil {
		return 0, fmt.Errorf("read back the kind of pages: %w", err)
	}
	return shareOf(huge, len(r.bytes), pageBytes), nil
}

// shareOf is the share of size bytes on huge pages. The kernel makes no huge page of the last,
// partial one. It counts as missing only where it is large, as with pages of 512 MiB.
func shareOf(huge, size, pageBytes int) float64 {
	whole := size / pageBytes * pageBytes
	switch {
	case whole == 0:
		return 0
	case size-whole > leastHugeBytes:
		whole = size
	}
	return float64(huge) / float64(whole)
}

// transparent reads the bytes of the region on transparent huge pages.
func (r *Region) transparent() (huge int, err error) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lo := uint64(uintptr(unsafe.Pointer(&r.bytes[0])))
	hi := lo + uint64(len(r.bytes))
	inside := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if from, to, ok := mappingRange(line); ok {
			inside = from < hi && to > lo
		} else if kb, ok := kilobytes(line, "AnonHugePages:"); ok && inside {
			huge += int(kb << 10)
		}
	}
	return huge, lines.Err()
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
