package shm

import (
	"testing"
	"unsafe"
)

// TestLayout checks the sizes in doc.go, and that fields with one writer have cache lines of their
// own.
func TestLayout(t *testing.T) {
	for _, test := range []struct {
		what      string
		got, want uintptr
	}{
		{"counters", countersAt, 4096},
		{"regions", regionsAt, 8192},
		{"queues", queuesAt, 139264},
		{"heap", heapAt, 401408},
		{"a region entry", unsafe.Sizeof(regionEntry{}), 32},
		{"a queue entry", unsafe.Sizeof(queueEntry{}), 64},
		{"a track's header", trackHeadBytes, 128},
		{"the receiver's line", unsafe.Offsetof(trackHeader{}.head), 64},
	} {
		if test.got != test.want {
			t.Errorf("%s: %d, want %d", test.what, test.got, test.want)
		}
	}
	if heapStart%uint64(pageBytes) != 0 || heapStart < uint64(heapAt) || unsafe.Sizeof(header{}) > countersAt ||
		countersAt+wordBytes*uintptr(numCounters) > regionsAt {
		t.Error("parts overlap, or the heap is not on a page")
	}
	if unitsFor(MTU) > minUnits {
		t.Errorf("the longest datagram takes %d units, a track may have %d", unitsFor(MTU), minUnits)
	}
}

func FuzzParseHandle(f *testing.F) {
	f.Add("shm:1:2:00112233445566778899aabbccddeeff")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseHandle(text)
		if err != nil {
			return
		}
		again, err := parseHandle(h.String())
		if err != nil || again != h {
			t.Fatalf("%q is %v, then %v, %v", text, h, again, err)
		}
	})
}
