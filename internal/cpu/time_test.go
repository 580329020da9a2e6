package cpu

import (
	"runtime"
	"testing"
	"time"
)

func TestClocksAdvance(t *testing.T) {
	runtime.LockOSThread() // else another thread may go on
	defer runtime.UnlockOSThread()
	now, process, thread := NowNs(), ProcessNs(), ThreadNs()
	for NowNs() < now+int64(2*time.Millisecond) {
	}
	if ProcessNs() <= process || ThreadNs() < thread {
		t.Errorf("process %d then %d, thread %d then %d", process, ProcessNs(), thread, ThreadNs())
	}
}
