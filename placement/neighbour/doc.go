// Package neighbour is a program that works beside a store on purpose: the noisy neighbour of
// clouds. It shows what a store loses to it, and what a DPU keeps from it.
//
// # Kinds
//
//	cpu     integer arithmetic: keeps cores busy, and touches no memory
//	cache   reads and writes each line of a buffer as large as the last-level caches, in turn
//	memory  copies an array four times as large as the last-level caches, with vector instructions
//
// A thread is pinned to each CPU of a neighbour. It counts what it does: an operation is a
// multiplication with an addition, or a cache line of 64 bytes that was read and written. A thread
// never waits. It looks at the order to stop after each piece of work, of some microseconds.
//
// # CPUs
//
// A neighbour runs on the host of the store half, or else on the host of the server, also with a
// store on the DPU. There, cpu takes the CPUs of the server's threads: the store's workers, or the
// engine of a store on the DPU. Where the host has neither, cpu takes as many others. Cache and
// memory take all CPUs that no other process of the point has; the second thread of a worker's core
// is such a CPU. Without one they share the store's, with a warning: then the store loses CPU time,
// too. See [Machine.CPUs].
//
// The neighbour in figure 9 of "Lynx" (ASPLOS '20) multiplies matrices that fill the last-level
// cache, on other cores than the server. The kind cache is the closest one.
package neighbour
