// Package partition is MICA's store without a network: partitions of an index
// over a circular log, after "MICA: A Holistic Approach to Fast In-Memory
// Key-Value Storage" (NSDI '14, §4.2–4.3).
//
// # A table, its partitions, its cores
//
// A [Table] splits the keys into partitions by bits of their hash. A [Core] owns some of them and
// alone writes there. The [Access] mode decides which other cores may read. The client computes the
// hash, so it bears the cost, and sends it with each request:
//
//	bit 63        48 47              16 15     0
//	   | partition  |  bucket          |  tag   |
//
// # The index: buckets of one cache line
//
//	byte 0        4      8           22                        64
//	    | version | next | 7 tags ×2 | 7 offsets of 48 bits ×6 |
//
// A slot is a tag and the item's offset in the log. Tag 0 marks an empty slot; a hash whose tag
// bits are 0 has tag 1. Every slot that is not empty leads to a live item: the owner empties an
// item's slot before it gives up the item's room in the log. So an offset needs no check of its
// own, and a bucket's version covers everything that is reachable through it.
//
// In [Cache] mode an eighth item evicts the bucket's oldest: the index is lossy. In [Store] mode
// the field next chains a spare bucket, up to four per chain. When a chain is full or no spare is
// left, the answer is [kvs.Full], and [Stats] counts it.
//
// # The log: a ring of items
//
//	byte 0         8        16
//	    | lengths  | hash   | key, padded to 8 | value, padded to 8 |
//
// New items go to the tail; the head gives up the oldest items. In Cache mode a live item at the
// head is evicted. In Store mode it moves to the tail, and dead items make the room. An eighth of
// the log stays free, so that moving always frees some room: see minPace. A Set overwrites an item
// in place if the value fits the item's room.
//
// # What one operation may cost
//
// Clients choose keys, sizes, and hashes, and nobody verifies the hashes. These are the limits of
// one operation for every choice. A line is a cache line of 64 bytes; n is the size of the item in
// bytes.
//
//	looking a key up   5 buckets (Cache: 1), and of at most 35 items (Cache: 7) 6 lines each
//	Get                the value's lines
//	Set, Add           the item's lines, and the room that they make:
//	  Cache            2n + 64 KiB of log: at most one item evicted for each 24 bytes
//	  Store            16n + 64 KiB of log in logs above 64 MB; up to 64n in smaller ones; one
//	                   pass in logs below 5.5 MB. At most one item moved for each 24 bytes
//	an item evicted    its bucket, or an item moved: 5 buckets and twice its own lines
//
// Many operations together pass a limited part of a store's log: its pace for all bytes that they
// append, and one item of the largest size. A client that chooses hashes can still evict the other
// keys of a bucket. It can take every spare bucket with a quarter of the items that the index has
// room for. Keys in buckets of at most seven items need no spare.
//
// # Memory latency
//
// A key's bucket and item are two dependent cache misses. [Core.Execute] takes a batch through
// three passes, so that the misses of up to [Depth] operations overlap.
//
// # CREW
//
// Readers on other cores are optimistic: see shared.go for the seqlock and its correctness. A
// reader of a locked bucket spins, then sleeps. If 4096 writes of its bucket outrun a reader, it
// answers [kvs.WrongWorker], because the owner can still serve the key.
//
// # Build tags
//
// The tag purego builds without the assembly that locates items. Go code then does the same with
// plain loads. The tag race keeps the memory on the Go heap, where the race detector
// sees it.
package partition
