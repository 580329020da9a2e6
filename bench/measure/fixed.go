package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"dpukv/internal/offheap"
	"dpukv/internal/test/performance"
	"dpukv/probe/memory"
)

// fixedMemory is beyond every cache (the largest have some 500 MiB), and leaves no lines there for
// the next call.
const fixedMemory = 1 << 30

// fixed is work that takes as long again if the machine is as fast as before. A host that slows its
// guest shows in nothing else.
type fixed struct {
	loads func(n int)
	last  [2]float64
}

// newFixed lays out the work on the pages that the stores have, and says so.
func newFixed(out io.Writer) (*fixed, error) {
	r, err := offheap.Alloc(fixedMemory, offheap.Auto)
	if err != nil {
		return nil, fmt.Errorf("fixed work: %w", err)
	}
	_, err = fmt.Fprintf(out, "fixed-work: sums in L1; dependent loads from %d bytes, pages %s\n",
		fixedMemory, r.Backing())
	return &fixed{loads: memory.Loads(r.Bytes())}, err
}

// since measures, and returns the end of a repeat's line: the slower of before and after it.
func (f *fixed) since() string {
	now := [...]float64{
		memory.StepNs(sums, 20*time.Millisecond), memory.StepNs(f.loads, 40*time.Millisecond),
	}
	before := f.last
	f.last = now
	return fmt.Sprintf("\t%.3f %s\t%.1f %s", max(before[0], now[0]), performance.L1Unit,
		max(before[1], now[1]), performance.MemoryUnit)
}

var (
	words [128]uint64
	kept  uint64
)

// sums adds words in L1, as many per cycle as the core can. So it also shows another thread of the
// same core, unlike a chain of loads.
func sums(n int) {
	var a, b, c, d uint64
	for ; n > 0; n -= len(words) {
		for i := 0; i < len(words); i += 4 {
			a += words[i]
			b += words[i+1]
			c += words[i+2]
			d += words[i+3]
		}
	}
	kept += a + b + c + d
}

// whileStopped calls do while the processes of a group stand still: they would go on with the next
// repeat.
func whileStopped(group int, do func()) error {
	err := syscall.Kill(-group, syscall.SIGSTOP)
	if err == nil {
		do()
	}
	return errors.Join(err, syscall.Kill(-group, syscall.SIGCONT))
}
