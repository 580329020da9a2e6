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
// A neighbour runs on the host of the server, also with a store on the DPU. There, cpu takes the
// CPUs of the store's workers, and as many others where the workers are on another machine. Cache
// and memory take all CPUs that no other process of the point has. Without such a CPU they share
// the store's, with a warning: then the store loses CPU time, too. See [Machine.CPUs].
//
// The neighbour in figure 9 of "Lynx" (ASPLOS '20) multiplies matrices that fill the last-level
// cache, on other cores than the server. The kind cache is the closest one.
package neighbour
