// Package clib loads a C library at run time and calls its functions, without cgo.
//
// The program then needs no compiler to build, and no library to start: a machine without the
// library runs everything else. The module purego provides dlopen and dlsym. It also provides the
// part of runtime/cgo that starts Go on a C library's threads, without versions of that library's
// symbols. So the program runs on every glibc.
//
// # Calls
//
// [Call], [Call3] and [Call6] enter C by runtime.cgocall, as cgo's own calls do. purego's SyscallN
// would allocate per call and copy 32 arguments. Call3 and Call6 are for paths of packets: they
// allocate nothing.
//
// # Memory
//
// Go's stacks move, so C must not be given the address of a local variable as a number. [Call] and
// [CallErrno] move the values of their conversions to the heap:
//
//	clib.Call(f, uintptr(unsafe.Pointer(&attr)))
//
// [Call3] leaves memory to its caller: it must be C's, or pinned.
//
// # Where it works
//
// Linux on amd64 and arm64, unless the build tag static is set. Other builds lack the package's
// functions, so its users have the same constraint.
package clib
