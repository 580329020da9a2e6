// Package cpu pins threads and processes to CPUs and reads the CPU time they used.
//
// The Go runtime creates threads at will. Pinning one worker is therefore not enough to keep a
// process off a CPU. [PinProcess] sets the mask of every thread, and later threads inherit it.
// [PinThread] narrows the mask of the calling thread.
//
// Other programs may run on those CPUs, too: [OccupiedBy] returns the total time that all used.
// [ThreadsOf] returns the time of each thread of another process.
package cpu
