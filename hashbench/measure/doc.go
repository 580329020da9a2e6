// Package measure times hash functions so that the figures can be believed.
//
// # A round
//
// A round calls one function in one case for about RoundNs, on a thread pinned to one CPU. The
// thread's own CPU clock times it: other programs delay the round, but their time does not count.
//
// Rounds are interleaved: each pass makes one of every function in every case, in a new random
// order. A disturbance or a change of the clock's rate then hits all alike. A figure is the median
// over the passes.
//
// # Two loops
//
// In the latency loop the next key's place depends on the last hash; in the throughput loop it does
// not. Keys lie in 64 slots of one cache line, so that short ones are in the first-level cache.
//
// Lengths come from a table of one fixed length, or of 2²⁰ random ones. With random lengths, each
// round continues at the end of the last. A branch predictor memorizes a fixed length, and even a
// repeated sequence of 4,096 random ones. It can't memorize 2²⁰.
//
// # The loop's own cost
//
// Latency is less the loop's own cost, which the same rounds measure. That cost is the time of a
// chain of no dependent multiplications, on the line through chains of 4 and of 16: see [Loop]. A
// chain of 8 may be off that line. Each figure may contain that distance; the report states it.
//
// Throughput contains its loop: the next key's place and length, the call, and the sum. The CPU
// does this work beside the hash function's. A separately measured loop overlaps with nothing, so
// subtracting it would make short hashes look up to four times faster. The report has the time of
// a function that returns its key's address at once: a function near that time may be faster than
// the loop can show.
//
// # A stable clock
//
// Before the first pass the CPU works for at least 0.2 s, until chains of additions take the same
// time three times in a row (within 1 %). The report warns of a CPU that is not stable within 3 s,
// and of one whose rate varies by more than 5 % during the passes.
package measure
