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
// [Store] mode next chains a spare bucket, up to four a chain. When a chain is full or no
// spare is left, the answer is [kvs.Full], and [Stats] counts it.
//
// # The log: a ring of items
//
//	byte 0         8        16
//	    | lengths  | hash   | key, padded to 8 | value, padded to 8 |
//
// Items are appended at the tail and given up at the head, oldest first. In
// Cache mode a live item at the head is evicted. In Store mode it is moved
// to the tail, and dead ones make the room. An eighth of the log is kept free, so that there
// is always something to gain by moving: see minPace. A Set whose value fits the item's room
// overwrites it in place.
//
// # What one operation may cost
//
// Clients choose keys, sizes, and hashes, which nobody verifies. Whatever they choose, an
// operation looks at no more than this. A line is one of 64 bytes, n the bytes of the item.
//
//	looking a key up   5 buckets (Cache: 1), and of at most 35 items (Cache: 7) 6 lines each
//	Get                the value's lines
//	Set, Add           the item's lines, and the room that they make:
//	  Cache            2n + 64 KiB of log: at most one item evicted for each 24 bytes
//	  Store            16n + 64 KiB of log in logs above 64 MB; up to 64n in smaller ones; one
//	                   pass in logs below 5.5 MB. At most one item moved for each 24 bytes
//	an item evicted    its bucket, or an item moved: 5 buckets and twice its own lines
//
// Many operations together pass no more of a store's log than its pace for all bytes that they
// append, and one largest item. Who chooses hashes can still crowd out the other keys of a
// bucket. He can take every spare bucket with a quarter of the items that the index is sized for.
// Keys in buckets of at most seven items do not need one.
//
// # Memory latency
//
// A key's bucket and item are two dependent cache misses. [Core.Execute] takes a
// batch through three passes, so that the misses of up to [Depth] operations overlap.
//
// # CREW
//
// Readers on other cores are optimistic: see shared.go for the seqlock and why it holds. A reader
// whose bucket stays locked sleeps. One that 4096 writes of its bucket outrun answers
// [kvs.WrongWorker], as the owner can still serve the key.
//
// # Build tags
//
// purego builds without the assembly that issues prefetch instructions; plain
// loads then do the same, a little later. race keeps the memory on the Go heap,
// where the race detector sees it.
package partition
