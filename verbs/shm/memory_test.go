package shm

import (
	"strings"
	"testing"

	"dpukv/verbs"
)

// TestMemoryThatIsNotThere is refused before a page of it is touched, as anywhere else in dpukv.
func TestMemoryThatIsNotThere(t *testing.T) {
	d := openDevice(t)
	pd := must[verbs.PD](t, "PD")(d.AllocPD())
	_, err := pd.AllocMR(1<<45, verbs.LocalWrite)
	if err == nil || !strings.Contains(err.Error(), "MemAvailable") {
		t.Errorf("a memory region of 32 TiB: %v", err)
	}
}
