//go:build !amd64 || race

package softroce

import "sync/atomic"

// releaseWord stores a word after all stores before it: STLR on arm64, after the plain copies of the rest of the message.
// placePart's compare-and-swap is one too (LDAR and STLXR, or CASAL). An emulator on amd64 does not show a store that lacks
// it, as that machine keeps stores in order; TestPollerSeesWholeWrite does on an Arm machine, and TestOrderOfWrite of verbs/shm,
// whose messages end the same way, by all executions that Armv8 allows.
func releaseWord(at *uint64, v uint64) { atomic.StoreUint64(at, v) }
