//go:build linux && (amd64 || arm64) && !static

package clib

import (
	"runtime"
	"syscall"
	"unsafe"
)

// frame is what the trampoline reads and writes. Its layout is known to call_*.s.
type frame struct {
	f      uintptr
	args   [maxArgs]uintptr
	result uintptr
}

const maxArgs = 6

// cgocall is the runtime's: it runs a function of C's calling convention on the thread's own stack.
// A goroutine's stack does not move meanwhile, as C calls nothing back.
//
//go:noescape
//go:linkname cgocall runtime.cgocall
func cgocall(f uintptr, frame unsafe.Pointer) int32

// trampolineAddress is the address of a function in call_*.s. It takes the address of a frame in
// C's calling convention.
var trampolineAddress uintptr

// Call calls f with up to six integers or addresses.
//
//go:uintptrescapes
func Call(f uintptr, args ...uintptr) uintptr {
	c := frame{f: f}
	copy(c.args[:], args)
	cgocall(trampolineAddress, unsafe.Pointer(&c))
	return c.result
}

// Call3 is Call for three arguments. It allocates nothing.
func Call3(f, a, b, c uintptr) uintptr {
	frame := frame{f: f, args: [maxArgs]uintptr{a, b, c}}
	cgocall(trampolineAddress, unsafe.Pointer(&frame))
	return frame.result
}

// Call6 is Call3 for six arguments.
func Call6(f uintptr, args *[6]uintptr) uintptr {
	frame := frame{f: f, args: *args}
	cgocall(trampolineAddress, unsafe.Pointer(&frame))
	return frame.result
}

// CallErrno is Call for a function that sets errno. The errno is 0 if f set none.
//
//go:uintptrescapes
func CallErrno(f uintptr, args ...uintptr) (uintptr, syscall.Errno) {
	location, err := errnoLocation()
	if err != nil {
		return 0, syscall.ENOSYS
	}
	// errno belongs to the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	errno := At[int32](Call3(location, 0, 0, 0))
	*errno = 0
	c := frame{f: f}
	copy(c.args[:], args)
	cgocall(trampolineAddress, unsafe.Pointer(&c))
	return c.result, syscall.Errno(*errno)
}

// At is the value at an address of C's memory.
func At[T any](addr uintptr) *T { return *(**T)(unsafe.Pointer(&addr)) }

// String copies a string of C.
func String(addr uintptr) string {
	n := 0
	for *At[byte](addr + uintptr(n)) != 0 {
		n++
	}
	return string(unsafe.Slice(At[byte](addr), n))
}
