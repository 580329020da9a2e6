package measure

import (
	"testing"
	"unsafe"

	"dpukv/hashbench/result"
)

func TestInput(t *testing.T) {
	for align := range result.MaxAlign + 1 {
		for _, c := range []result.Case{
			{Mode: result.Latency, MinBytes: 16, MaxBytes: 16, Align: align},
			{Mode: result.Throughput, MinBytes: 1, MaxBytes: 32, Align: align},
			{Mode: result.Throughput, MinBytes: result.MaxBytes, MaxBytes: result.MaxBytes, Align: align},
		} {
			in := newInput(c, 1)
			if got := int(uintptr(unsafe.Pointer(unsafe.SliceData(in.pool))) % slotBytes); got != align {
				t.Errorf("%s: aligned at %d", c, got)
			}
			if len(in.pool) < (slots-1)*slotBytes+c.MaxBytes {
				t.Errorf("%s: the last slot's longest input does not fit", c)
			}
			seen := map[uint32]bool{}
			for _, n := range in.lengths {
				seen[n] = true
				if int(n) < c.MinBytes || int(n) > c.MaxBytes {
					t.Fatalf("%s: length %d", c, n)
				}
			}
			if len(seen) != c.MaxBytes-c.MinBytes+1 {
				t.Errorf("%s: %d different lengths", c, len(seen))
			}
			if c.Random() && len(in.lengths) < 1<<20 {
				t.Errorf("%s: lengths repeat after %d", c, len(in.lengths))
			}
		}
	}
}
