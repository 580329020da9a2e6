// Package litmus enumerates the outcomes of a few threads of loads and stores on an Arm processor.
// The tests beside code that depends on memory order write its pattern down as threads. They state
// that the model [Forbids] the wrong outcome. They also state that it [Allows] the outcome once the
// order is weakened, so that the first answer means something.
//
// An x86 machine never shows a missing order, and neither does an emulator of Arm on one. An Arm
// machine shows it now and then. This package always shows it, for the pattern. The reader has to
// compare the pattern with the code, so each stands beside its code.
//
// # The model
//
// Armv8's memory is other-multi-copy-atomic: a store becomes visible to all other threads at once.
// Its definition, by Arm and in "Simplifying ARM Concurrency" (POPL '18, Pulte and others), is a
// few axioms about executions. An execution chooses, for each load, the store that it reads from,
// and, for each location, the order of its stores. An execution can happen if neither of these has
// a cycle:
//
//	internal  program order to one location, reads-from, coherence, from-reads   (each location alone is as expected)
//	external  what threads see of each other: reads-from, coherence, from-reads between threads;
//	          dependencies, within a thread: a load before what takes its address or value from it, before stores behind a branch on it,
//	          and before stores behind an access whose address it gave;
//	          order, within a thread: acquire before all later, all earlier before release, release before a later acquire
//
// Everything else may happen in any order, and a thread's own store may serve a load before other
// threads see the store. The package tries all executions. The result equals that of threads that
// perform their instructions in any order but for these, on one memory, with such early loads. It
// takes no loops over interleavings.
//
// Go's sync/atomic is LDAR and STLR on arm64: [LoadAcquire] and [StoreRelease] here. A plain access
// is a plain one, of one aligned word. Barriers, exclusives, accesses of mixed size and loops are
// not modelled. A pattern has the last round of a loop. The caller leaves out the outcomes in which
// the loop would have gone on.
package litmus
