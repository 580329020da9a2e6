// Package model predicts the cost of hash functions on DPU cores that are not at hand: the
// Cortex-A72 of BlueField-1 and -2 and the Cortex-A78 of BlueField-3. Its figures are labelled as a
// model's, and never enter a measured report. They are only printed: dpukv hash compare has no file
// of them to read.
//
// # How
//
//   - Package target has the loops of package measure and a hash function, built for arm64. It runs
//     under qemu-aarch64, which logs each instruction's address in order.
//   - llvm-objdump turns the addresses into instructions, for so many calls of the steady state.
//   - llvm-mca computes the cycles of that sequence on a core with a known pipeline, with its
//     dependencies. The result is the difference between 16 calls and 8. For bandwidth it is the
//     difference between one call with 4 KiB and one with 2 KiB.
//   - The latency loop's own cost is that of a chain of no multiplications, as in package measure.
//     Throughput contains its loop.
//
// # What it leaves out
//
// The model has no mispredicted branches, no caches, and no loads that wait for a store to the
// stack. It has no limits of the front end beyond its width. Errors in the pipeline's tables
// remain. LLVM has one model for the A72 and the A78. So the A78 is modelled as a Neoverse N2 that
// dispatches six instructions a cycle. On the A72 each 64-bit multiplication occupies its
// multiplier for 3 cycles (4 for the high half), after Arm's optimization guides. Take the figures
// as ±50 %, their order as better than that.
package model
