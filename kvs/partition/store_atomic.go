//go:build !amd64 || race

package partition

import "sync/atomic"

// On arm64 a store here is STLR and a load LDAR. The argument, for the two mistakes that a seqlock can make there:
//
//   - A reader takes a new word for part of an old version. STLR comes after all accesses before it, so whoever
//     sees the word's new value sees the odd version that was stored before it; and the reader's second load of the version
//     comes after its load of the word, as that was LDAR, which all later accesses come after.
//   - A reader takes an old word for part of a new version. The even version is STLR after all words;
//     the reader's first load of it is LDAR before all its loads of words.
//
// Plain loads and stores would be right on amd64 and wrong here. TestOrderOfSeqlock and TestOrderOfReusedRoom hold the argument against
// all executions that Armv8 allows, and find the wrong one where any of these orders is missing. TestLinearizable would fail on an Arm
// machine; under qemu-user on amd64 it checks the code that was compiled for Arm, and not Arm's order, which that host does not have.

// storeShared writes a word under its bucket's seqlock.
func storeShared(at *uint64, v uint64) { atomic.StoreUint64(at, v) }

// releaseShared makes a version even, after all stores before it.
func releaseShared(at *uint32, v uint32) { atomic.StoreUint32(at, v) }
