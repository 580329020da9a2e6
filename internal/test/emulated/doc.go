// Emulated runs a test binary, and starts it again after a hung fork of qemu-user. The emulator
// runs the test binary itself, or programs that its tests start.
//
//	GOARCH=arm64 go test -exec PROGRAM ./...
//
// PROGRAM is this command, built for the machine itself. The command passes input, output, signals
// and the exit status on. A status of 128+N stands for signal N.
//
// # The hung fork
//
// A Go program starts another by clone(CLONE_VFORK|CLONE_VM). The emulator makes a plain fork of
// it. The child inherits the emulator's locks, also those that other threads hold. No thread of the
// child frees such a lock, so the child hangs before it executes the program. The parent then waits
// for the child without a limit. This was seen with qemu 7.2, where threads began and ended during
// the fork.
//
// The command looks at the descendants of the test binary every few seconds. A descendant is a hung
// fork if all of this is true for 30 s:
//
//   - its executable is the emulator (qemu-*), and its parent has the same executable
//   - its command line is that of its parent: it has executed nothing
//   - it has at most 2 threads: its own and the emulator's call_rcu. An emulated Go program
//     has at least 3
//   - it sleeps in a futex, or the kernel does not tell where
//   - it uses no CPU time
//
// The command then kills the test binary with all its descendants, says so on stderr, and starts
// the test binary again, at most twice.
//
// # Everything else fails as before
//
// A test binary that ends is never started again, whatever its exit status. A test binary is not
// started again either if a test had failed before the fork hung.
package main
