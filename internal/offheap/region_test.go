package offheap

import (
	"os"
	"strings"
	"testing"
	"unsafe"

	"dpukv/internal/test/must"
)

func TestAllocIsZeroedAlignedAndWritable(t *testing.T) {
	for _, size := range []int{1, 4096, 3 << 20} {
		for _, pages := range []Pages{Auto, Small} {
			r := must.Get(Alloc(size, pages))(t)
			b := r.Bytes()
			if len(b) != size || uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
				t.Errorf("Alloc(%d, %s): %d bytes at %p", size, pages, len(b), &b[0])
			}
			for i := range b {
				if b[i] != 0 {
					t.Fatalf("byte %d is %d", i, b[i])
				}
				b[i] = 1
			}
			t.Logf("asked for %s: %s", pages, r.Backing())
			if err := r.Free(); err != nil {
				t.Error(err)
			}
			if err := r.Free(); err != nil {
				t.Errorf("second Free: %v", err)
			}
		}
	}
}

func TestSmallPagesAreSmall(t *testing.T) {
	r := must.Get(Alloc(8<<20, Small))(t)
	defer r.Free()
	if r.Backing().Kind == Heap {
		t.Skip("under the race detector memory comes from the Go heap")
	}
	if r.Backing() != (Backing{Small, os.Getpagesize()}) {
		t.Errorf("pages: %s", r.Backing())
	}
}

func TestAllocRefuses(t *testing.T) {
	if _, err := Alloc(0, Auto); err == nil {
		t.Error("Alloc(0) was accepted")
	}
	if r, _ := Alloc(1, Auto); r.Backing().Kind == Heap {
		t.Skip("under the race detector memory comes from the Go heap")
	}
	_, err := Alloc(1<<45, Auto)
	if err == nil {
		t.Fatal("32 TiB were accepted")
	}
	if !strings.Contains(err.Error(), "available") {
		t.Errorf("error does not say what is available: %v", err)
	}
}
