// Package hashbench knows hash functions by name, and what they cost.
//
// The client of a key-value store hashes every key: the store takes an item's
// tag from bits 0 to 15 of the hash, its bucket from bits 16 to 47, and its partition,
// which says whom to ask, from bits 48 to 63. So the client and the server must mean the same
// function, and they say which by a name from this package's registry:
// [Lookup] turns the name into a [Func], whose Sum64 fills all 64 bits.
//
//   - 64-bit functions are used as they are.
//   - 128-bit functions give their first (low) 64 bits, but cost what 128 bits cost.
//   - 32-bit functions are widened by [Widen], a bijective mix: no two hashes fall together
//     that were apart, and all of tag, bucket and partition vary. More than 2³²
//     different results there still are not.
//
// [Cost] is a quick estimate of what one hash costs the calling thread.
// The microbenchmark, which separates latency from throughput and varies the lengths, is
// the rest of this package's job.
package hashbench
