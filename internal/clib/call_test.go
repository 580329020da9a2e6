//go:build linux && (amd64 || arm64) && !static

package clib

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"dpukv/internal/test/must"
)

func symbol(t testing.TB, name string) uintptr {
	t.Helper()
	c := must.Get(Open("libc.so.6"))(t)
	return must.Get(c.Symbol(name))(t)
}

// TestCallPassesAll checks all six arguments, the result, and memory in both directions.
func TestCallPassesAll(t *testing.T) {
	var out [64]byte
	format := []byte("%d %s %d %d\x00")
	n := Call(symbol(t, "sprintf"), uintptr(unsafe.Pointer(&out)), uintptr(unsafe.Pointer(&format[0])), 42,
		uintptr(unsafe.Pointer(unsafe.StringData("word\x00"))), 7, 8)
	if got := String(uintptr(unsafe.Pointer(&out))); got != "42 word 7 8" || int32(n) != 11 {
		t.Errorf("sprintf wrote %q, %d bytes", got, int32(n))
	}
	if got := Call3(symbol(t, "ffs"), 8, 0, 0); int32(got) != 4 {
		t.Errorf("ffs(8) = %d, want 4", int32(got))
	}
}

// TestCallErrno runs on many threads: each has an errno of its own.
func TestCallErrno(t *testing.T) {
	closeFile, getpid := symbol(t, "close"), symbol(t, "getpid")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				if r, errno := CallErrno(closeFile, 1<<30); int32(r) != -1 || errno != syscall.EBADF {
					t.Errorf("close: %d, %v, want EBADF", int32(r), errno)
				}
				if r, errno := CallErrno(getpid); int(r) != syscall.Getpid() || errno != 0 {
					t.Errorf("getpid: %d, %v", r, errno)
				}
				runtime.Gosched()
			}
		})
	}
	all.Wait()
}

// TestGoOnThreadsOfC grows stacks, collects garbage and takes signals while other goroutines are in
// C.
func TestGoOnThreadsOfC(t *testing.T) {
	usleep := symbol(t, "usleep")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 20 {
				Call3(usleep, 100, 0, 0)
				deep(200)
			}
		})
	}
	for range 10 {
		runtime.GC()
	}
	all.Wait()
}

func deep(n int) (sum int) {
	var pad [128]int
	if n > 0 {
		pad[n%128] = deep(n - 1)
	}
	return pad[n%128] + n
}

func TestCall3AllocatesNothing(t *testing.T) {
	f := symbol(t, "ffs")
	call := func() {
		Call3(f, 8, 0, 0)
		Call6(f, &[6]uintptr{8})
	}
	if n := testing.AllocsPerRun(100, call); n != 0 {
		t.Errorf("two calls allocate %v times", n)
	}
}

func BenchmarkCall3(b *testing.B) {
	f := symbol(b, "ffs")
	b.ReportAllocs()
	for b.Loop() {
		Call3(f, 8, 0, 0)
	}
}
