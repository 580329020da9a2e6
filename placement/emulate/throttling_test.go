package emulate

import (
	"testing"
	"time"

	"dpukv/internal/test/must"
)

func TestThrottlingOfBothVersions(t *testing.T) {
	want := Throttling{Periods: 120, Stopped: 30, For: 400 * time.Millisecond}
	for version, text := range map[string]string{
		"v1": "nr_periods 120\nnr_throttled 30\nthrottled_time 400000000\n",
		"v2": "usage_usec 9\nnr_periods 120\nnr_throttled 30\nthrottled_usec 400000\nnr_bursts 0\n",
	} {
		if got := parseThrottling(text); got != want {
			t.Errorf("%s: got %+v, want %+v", version, got, want)
		}
	}
	later := Throttling{150, 31, time.Second, 10 * time.Millisecond}
	got := later.Since(want)
	if got != (Throttling{30, 1, 600 * time.Millisecond, 10 * time.Millisecond}) {
		t.Errorf("got %+v", got)
	}
}

// A busy process on a machine with a quota is stopped, and the kernel counts it.
func TestThrottlingOfABusyMachine(t *testing.T) {
	l := startLab(t, study("bf2"))
	must.Get(l.SetCores("dpu-a", 1))(t)
	before := must.Get(l.Throttling())(t)
	busy := spin(t, l, "dpu-a", 1)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		after := must.Get(l.Throttling())(t)
		if d := after["dpu-a"].Since(before["dpu-a"]); d.Stopped > 0 && d.For > 0 {
			if d.Periods < d.Stopped || d.Period != 10*time.Millisecond {
				t.Errorf("%+v", d)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%+v, then %+v", before, after)
		}
	}
	busy.stop()
}
