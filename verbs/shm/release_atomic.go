//go:build !amd64 || race

package shm

import (
	"sync/atomic"
	"unsafe"
)

// storeRelease stores a word after all loads and stores before it: STLR on arm64. The poller's LDAR (sync/atomic) that
// finds the word comes before all its later accesses; so it finds what the plain copies before the STLR have written,
// in whatever order they went. The way back is the same: an answer is published after the loads of the request it
// answers, and who has found the answer writes over the request only then.
//
// No run on amd64 can show that this is needed, under qemu-user neither: stores stay in order there. TestOrderOfWrite and
// TestOrderOfRing show it by all executions that Armv8 allows.
func storeRelease(at unsafe.Pointer, v uint64) { atomic.StoreUint64((*uint64)(at), v) }

// publish is the same for an index that another goroutine loads.
func publish(at *atomic.Uint32, v uint32) { at.Store(v) }
