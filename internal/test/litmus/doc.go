// Package litmus enumerates what a few threads of loads and stores may see on an Arm processor. The tests beside code that
// depends on memory order write its pattern down as threads and say that it [Forbids] the outcome that must not be; and that the
// same with the order weakened [Allows] it, so that the first answer means something.
//
// An x86 machine never shows a missing order, and neither does an emulator of Arm on one. An Arm machine shows it now and then. This
// shows it always, of the pattern; that the pattern is the code's is for the reader to see, so each stands beside it.
//
// # The model
//
// Armv8's memory is other-multi-copy-atomic: a store becomes visible to all other threads at once. Its definition, by Arm and in "Simplifying
// ARM Concurrency" (POPL '18, Pulte and others), is a few axioms about executions. An execution is a choice of which store each
// load reads from and in which order the stores to each location fall. It is one that can happen if neither of these has a cycle:
//
//	internal  program order to one location, reads-from, coherence, from-reads   (each location alone is as expected)
//	external  what threads see of each other: reads-from, coherence, from-reads between threads;
//	          dependencies, within a thread: a load before what takes its address or value from it, before stores behind a branch on it,
//	          and before stores behind an access whose address it gave;
//	          order, within a thread: acquire before all later, all earlier before release, release before a later acquire
//
// Everything else may be performed in any order, and a load may be served from its own thread's store before others see that. All executions
// are tried. That is what "threads perform their instructions in any order but for these, on one memory" comes to, with such early
// loads and without loops over interleavings.
//
// Go's sync/atomic is LDAR and STLR on arm64: [LoadAcquire] and [StoreRelease] here. A plain access is a plain one, of one aligned word.
// Barriers, exclusives, accesses of mixed size and loops are not modelled: a loop's last round is what is written down, and outcomes in
// which it would have gone on are for the caller to leave out.
package litmus
