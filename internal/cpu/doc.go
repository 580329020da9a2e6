// Package cpu pins threads and processes to CPUs and reads the CPU time they used.
//
// The Go runtime makes threads as it likes, so pinning one worker is not enough to keep
// a process off a CPU: [PinProcess] sets the mask of every thread there is,
// which later threads inherit, and [PinThread] narrows the calling one.
//
// Others may run on those CPUs, too: [OccupiedBy] tells how much all had of them.
package cpu
