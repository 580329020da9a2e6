// Package hashbench is a registry of named hash functions. The packages below it measure their
// cost.
//
// The client of a key-value store hashes every key. The store takes an item's tag from bits 0 to 15
// of the hash and its bucket from bits 16 to 47. Bits 48 to 63 are its partition, which selects the
// server's worker. So the client and the server must use the same function. They agree on it by a
// name from this package's registry: [Lookup] turns the name into a [Func], whose Sum64 fills all
// 64 bits.
//
//   - 64-bit functions are used as they are.
//   - 128-bit functions give their first (low) 64 bits, but cost what 128 bits cost.
//   - 32-bit functions are widened by [Widen], a bijective mix. Different hashes stay different,
//     and all of tag, bucket and partition vary. There are still at most 2³² different results.
//
// Seeds are 0. Keyed functions have the keys of their published vectors. hash/maphash has a
// different seed in each process: it can be timed ([Find]) but hashes no keys.
//
// # Variants
//
// One name may stand for several implementations with the same bits: the module's and one of
// package tuned. Package tuned has one where the module's is more than 1.3 times as slow as C.
// "city64" is the default one, "city64@module" the other. [Func.Check] compares a function with its
// published test vectors before it is timed. testdata/digests.txt condenses the results for 0 to
// 1500 bytes; every architecture and the C references must give the same.
//
// # The cost of a hash
//
//	measure ──▶ report ──▶ table, JSON, benchstat's text, comparison, figures
//	smhasher ─────┘
//
//	tuned      functions rewritten for Go's compiler
//	clock      the counter that programs read, and the core's own rate: two things
//	measure    latency and throughput in interleaved rounds
//	smhasher   the same in SMHasher's loop, and what SMHasher would print
//	report     what was measured, and everything that is made of it
//	quality    avalanche, and how many of MICA's buckets overflow
//	reference  the C implementations, for tests: the same bits, Go's time over C's
//	model      predictions for cores that are not here, from instruction traces; never mixed with what was measured
//
// [Cost] is a quick estimate of the calling thread's cost of one hash.
package hashbench
