// Package order stores words with release order: after all loads and stores before them. It also
// copies memory that others change meanwhile.
//
// A reader that loads such a word with sync/atomic, and finds the new value, finds everything that
// the writer stored before it. The seqlock of kvs/partition, the rings of verbs/shm and the last
// word of a WRITE in verbs/shm and verbs/softroce rest on that.
//
// # On amd64
//
// A plain store is enough. The processor keeps stores in their order, and keeps a store after the
// loads before it. An aligned word is never torn. The compiler keeps stores to memory in program
// order, and between atomic stores. An atomic store would be an XCHG, which waits for all stores
// before it: too much for each word of a value.
//
// One store that another overwrites needs an atomic store all the same, because the compiler may
// drop the first of two plain ones.
//
// # Elsewhere
//
// The store is that of sync/atomic: STLR on arm64. It comes after all accesses before it. The
// reader's load, LDAR, comes before all accesses after it. So the reader finds what the plain
// copies before the STLR wrote, in whatever order they went. The way back is the same. An answer
// is published after the loads of its request, and the asker reuses the request only when it has
// found the answer.
//
// No run on amd64 shows that release order is needed, nor does one under qemu-user: stores stay in
// order there. The tests show it by all executions that Armv8 allows. They also find the wrong one
// where a release or an acquire is missing. The packages that rest on more than one word hold
// their own arguments the same way: TestOrderOfSeqlock and TestOrderOfReusedRoom of kvs/partition,
// TestOrderOfSlot and TestOrderOfReusedSlot of kvs/herd.
//
// # Under the race detector
//
// All stores are atomic, so that the detector sees the order and checks the real algorithm.
package order
