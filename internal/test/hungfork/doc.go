// Command hungfork runs a test binary under qemu-user, and again if the emulator hung in a fork.
//
//	go test -exec FILE-OF-HUNGFORK ...
//
// qemu-user is a process of several threads. When a program starts another one, qemu-user forks.
// The child sometimes inherits a lock that another thread of the emulator held, and hangs before
// it begins the other program. The parent waits for it without a limit, in syscall.forkExec. That
// is the emulator's fault: it says nothing about the test.
//
// A child counts as hung if all of this holds for half a minute:
//
//   - its executable and its command line are its parent's: it has not begun another program
//   - it has at most two threads, while a Go program has more: it has not begun one of its own
//   - it sleeps, and uses no CPU time
//
// Then hungfork kills the test binary and its descendants, says so, and starts the test binary
// again, at most twice. It repeats nothing else: its exit status is that of the test binary.
package main
