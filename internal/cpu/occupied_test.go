package cpu

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
)

func TestParseStat(t *testing.T) {
	const text = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 40 50 60 70 8 90 100\ncpu1 10 20 30 40 50 60 70 80 0 0\ncpu10 " +
		"5 5 5 5 5 5 5 5 0 0\nintr 1 2\n"
	for _, c := range []struct {
		text string
		cpus []int
		want Occupied
	}{
		{text, []int{0}, Occupied{60e6, 1300e6, 80e6}},
		{text, []int{0, 1}, Occupied{660e6, 2600e6, 880e6}},
		{text, []int{10}, Occupied{150e6, 100e6, 50e6}},
		{text, []int{0, 2}, Occupied{}}, // one is not there
		{"cpu0 1 2 3", []int{0}, Occupied{}},
		{"", []int{0}, Occupied{}},
	} {
		if got := parseStat(c.text, c.cpus); got != c.want {
			t.Errorf("%v of %q: got %+v, want %+v", c.cpus, c.text, got, c.want)
		}
	}
}

// TestOccupiedByThisThread: the kernel's account of a CPU includes the work of a thread on it.
func TestOccupiedByThisThread(t *testing.T) {
	allowed := must.Get(Allowed())(t)
	on := allowed[len(allowed)-1:]
	if OccupiedBy(nil) != (Occupied{}) {
		t.Error("no CPU was occupied")
	}
	done := make(chan string)
	go func() { // its thread ends with it
		if err := PinThread(on[0]); err != nil {
			done <- err.Error()
			return
		}
		const used = int64(200 * time.Millisecond)
		before, start := OccupiedBy(on), ThreadNs()
		for ThreadNs() < start+used {
		}
		// A tick counts for the thread that runs at its end, so half of the ticks are enough.
		for limit := NowNs() + int64(10*time.Second); OccupiedBy(on).ProgramsNs < before.ProgramsNs+used/2; {
			if NowNs() > limit {
				done <- "a thread's time does not show in that of its CPU"
				return
			}
		}
		done <- ""
	}()
	if failure := <-done; failure != "" {
		t.Error(failure)
	}
}
