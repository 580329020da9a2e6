//go:build linux && (amd64 || arm64) && !static

package ibverbs

import "sync/atomic"

// ahTable has a protection domain's address handles, which are addresses in C. A chunk never moves.
// So a sender may look one up while another goroutine adds one.
type ahTable [ahChunks]atomic.Pointer[[ahsPerChunk]atomic.Uintptr]

const (
	ahChunks    = 1024
	ahsPerChunk = 1024
	maxAHs      = ahChunks*ahsPerChunk - 1 // handle 0 stands for none
)

// set stores the address of a handle. It returns false if the table has no room.
func (t *ahTable) set(handle uint32, ah uintptr) bool {
	i := handle / ahsPerChunk
	if i >= ahChunks {
		return false
	}
	if t[i].Load() == nil {
		t[i].Store(new([ahsPerChunk]atomic.Uintptr))
	}
	t[i].Load()[handle%ahsPerChunk].Store(ah)
	return true
}

// get returns 0 for a handle that is not open.
func (t *ahTable) get(handle uint32) uintptr {
	i := handle / ahsPerChunk
	if i >= ahChunks || t[i].Load() == nil {
		return 0
	}
	return t[i].Load()[handle%ahsPerChunk].Load()
}
