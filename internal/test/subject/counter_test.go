package subject

import (
	"errors"
	"runtime"
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

// TestCounter reads an event of the kernel's own, which every machine has.
func TestCounter(t *testing.T) {
	kernel.NeedNative(t)
	runtime.LockOSThread()
	c, err := openEvent(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		t.Skipf("perf events are not allowed here: %v", err)
	}
	must.Do(t, err)
	before := c.read()
	Loop(1_000_000, 1)
	if after := c.read(); after <= before {
		t.Errorf("found %d, then %d", before, after)
	}
	if (*counter)(nil).read() != 0 {
		t.Error("no counter has counted")
	}
}
