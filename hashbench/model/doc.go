// Package model predicts what hash functions cost on the cores of a DPU that nobody here has: the Cortex-A72 of
// BlueField-1 and -2 and the Cortex-A78 of BlueField-3. Its figures are a model's, labelled so, and never stand in a
// measured report: they are printed, and there is no file of them that dpukv hash compare could read.
//
// # How
//
//   - The loops of package measure and a hash function are built for arm64 (package target) and run under
//     qemu-aarch64, which logs each instruction's address in order.
//   - The addresses become instructions with llvm-objdump, for so many calls of the steady state.
//   - llvm-mca says how many cycles a core with a known pipeline needs for that sequence, with its dependencies: of 8
//     calls and of 16, the difference counts. For bandwidth it is one call with 2 KiB and one with 4 KiB.
//   - The latency loop's own cost is that of a chain of no multiplications, as in package measure; of
//     the throughput loop it is that of a function that does nothing.
//
// # What it leaves out
//
// Mispredicted branches, caches, loads that wait for a store to the stack, the front end's limits beyond its width, and whatever the pipeline's tables
// have wrong. LLVM has one model for the A72 and the A78, so the A78 is taken for a Neoverse N2 that
// dispatches six instructions a cycle, and on the A72 each 64-bit multiplication keeps its multiplier
// for 3 cycles (4 for the high half), after Arm's optimization guides. Take the figures as ±50 %, their order as better than that.
package model
