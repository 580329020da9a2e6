//go:build linux && (amd64 || arm64) && !static

package clib

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/ebitengine/purego"
)

// Library is a loaded library. It stays loaded until the process ends.
type Library struct {
	name   string
	handle uintptr
}

// Open loads a library that the dynamic linker finds by its name.
func Open(name string) (*Library, error) {
	// The linker keeps the text of its error for each thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	return &Library{name, handle}, nil
}

// Symbol returns the address of a function, in the library's default version of it.
func (l *Library) Symbol(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	addr, err := purego.Dlsym(l.handle, name)
	if err != nil {
		return 0, fmt.Errorf("%s has no %s: %w", l.name, name, err)
	}
	return addr, nil
}

// errnoLocation is C's function that returns the address of this thread's errno.
var errnoLocation = sync.OnceValues(func() (uintptr, error) {
	c, err := Open("libc.so.6")
	if err != nil {
		return 0, err
	}
	return c.Symbol("__errno_location")
})
