package hashbench

import (
	"encoding/binary"
	"math"
	"runtime"

	"dpukv/internal/cpu"
)

const (
	costKeys     = 256       // different keys, few enough to stay in the first-level cache
	costRoundNs  = 1_000_000 // long beside the clock's resolution
	costRounds   = 7
	costMaxCalls = 1 << 24
)

// Cost estimates the calling thread's CPU time, in nanoseconds, of one hash of a key of keyBytes.
// It calls f.Sum64 for independent keys of one length in the first-level cache. The result is a
// throughput, not a latency, and its best case. Each call calibrates anew, which takes about ten
// milliseconds. The fastest of several rounds counts, because every disturbance makes a round
// slower.
func Cost(f Func, keyBytes int) float64 {
	runtime.LockOSThread() // the clock below is that of one thread
	defer runtime.UnlockOSThread()
	keyBytes = max(keyBytes, 1)
	keys := costInput(keyBytes)
	calls := costCalls(f, keys, keyBytes)
	best := math.Inf(1)
	for range costRounds {
		best = min(best, float64(timeCalls(f, keys, keyBytes, calls))/float64(calls))
	}
	return best
}

// costInput makes adjacent keys that differ in their first bytes.
func costInput(keyBytes int) []byte {
	keys := make([]byte, costKeys*keyBytes)
	for i := range costKeys {
		var index [8]byte
		binary.LittleEndian.PutUint64(index[:], uint64(i)*0x9e3779b97f4a7c15)
		copy(keys[i*keyBytes:(i+1)*keyBytes], index[:])
	}
	return keys
}

// costCalls finds the number of calls that fill a round.
func costCalls(f Func, keys []byte, keyBytes int) int {
	calls := costKeys
	for calls < costMaxCalls && timeCalls(f, keys, keyBytes, calls) < costRoundNs {
		calls *= 2
	}
	return calls
}

// timeCalls is the CPU time of this many hashes; calls is a multiple of costKeys.
func timeCalls(f Func, keys []byte, keyBytes, calls int) int64 {
	sum := uint64(0)
	start := cpu.ThreadNs()
	for done := 0; done < calls; done += costKeys {
		for at := 0; at < len(keys); at += keyBytes {
			sum += f.Sum64(keys[at : at+keyBytes])
		}
	}
	spent := cpu.ThreadNs() - start
	runtime.KeepAlive(sum) // the compiler must not drop unused hashes
	return spent
}
