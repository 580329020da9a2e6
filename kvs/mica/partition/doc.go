// Package partition is MICA's store without a network: partitions of an index
// over a circular log, after "MICA: A Holistic Approach to Fast In-Memory
// Key-Value Storage" (NSDI '14, §4.2–4.3).
//
// # A table, its partitions, its cores
//
// A [Table] splits the keys into partitions by bits of their hash. A [Core] owns
// some of them: it alone writes there. Who else may read is the [Access] mode.
// The hash comes with each request from the client, which so pays for hashing:
//
//	bit 63        48 47              16 15     0
//	   | partition  |  bucket          |  tag   |
//
// # The index: buckets of one cache line
//
//	byte 0        4      8           22                        64
//	    | version | next | 7 tags ×2 | 7 offsets of 48 bits ×6 |
//
// A slot is a tag and the item's offset in the log; tag 0 is an empty slot, and a
// hash whose tag bits are 0 has tag 1. Every slot that is not empty leads to a live item:
// before an item's room in the log is given up, its slot is emptied. So an
// offset needs no check of its own, and a bucket's version covers all that can
// be reached through it.
//
// In [Cache] mode an eighth item evicts the bucket's oldest: the index is lossy. In
// [Store] mode next chains a spare bucket; when none is left, the answer is [kvs.Full].
//
// # The log: a ring of items
//
//	byte 0         8        16
//	    | lengths  | hash   | key, padded to 8 | value, padded to 8 |
//
// Items are appended at the tail and given up at the head, oldest first. In
// Cache mode a live item at the head is evicted. In Store mode it is moved
// to the tail, dead ones make the room, and an eighth of the log is kept free so that there is always
// something to gain by moving: see reclaimPace. A Set whose value fits the item's room
// overwrites it in place.
//
// # Memory latency
//
// A key's bucket and item are two dependent cache misses. [Core.Execute] takes a
// batch through three passes, so that the misses of up to [Depth] operations overlap.
//
// # CREW
//
// Readers on other cores are optimistic: see shared.go for the seqlock and why it holds.
//
// # Build tags
//
// purego builds without the assembly that issues prefetch instructions; plain
// loads then do the same, a little later. race keeps the memory on the Go heap,
// where the race detector sees it.
package partition
