// Package measure times hash functions so that the figures can be believed.
//
// # A round
//
// A round is one function called in one case for about RoundNs, on a thread pinned to one CPU and timed by that
// thread's CPU clock, so that what else runs on the machine costs time but is not counted. Rounds
// are interleaved: each pass makes one of every function in every case, in a new random order, so that a
// disturbance or a change of the clock's rate hits all alike. A figure is the median over the passes.
//
// # Two loops
//
// In the latency loop the next key's place depends on the last hash, in the throughput loop it does
// not. Keys lie in 64 slots of one cache line, so that short ones are in the first-level cache. Lengths come from a
// table: of one length, or of 2²⁰ random ones, each round going on where the last one ended. A
// branch predictor learns a fixed length, and a repeated sequence of 4,096 random ones, by
// heart; it can't learn 2²⁰.
//
// # The loop's own cost
//
// It is measured in the same rounds and subtracted. Of the throughput loop it is the time of a function that returns
// its key's address at once. Of the latency loop it is the time of a chain of no dependent multiplications, on the
// line through chains of 4 and of 16: see [Loop]. How far a chain of 8 is from that line is what
// may be left in each figure; the report says it.
//
// # Settling
//
// Before the first pass the CPU works until chains of additions take the same time thrice
// in a row (within 1 %), for at least 0.2 s; a CPU that does not settle within 3 s is
// warned of, as is one whose rate varies by more than 5 % during the passes.
package measure
