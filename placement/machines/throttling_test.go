package machines

import (
	"slices"
	"testing"
	"time"

	"dpukv/placement/emulate"
	"dpukv/results"
)

func TestThrottlingWarnsOfTails(t *testing.T) {
	const period = 10 * time.Millisecond
	before := Throttling{"dpuA": {Periods: 5, Stopped: 5, Period: period}, "dpuB": {Period: period}}
	after := Throttling{
		"dpuA": {Periods: 105, Stopped: 5, Period: period},
		"dpuB": emulate.Throttling{Periods: 100, Stopped: 40, For: 301 * time.Millisecond, Period: period},
	}
	want := results.ReadWarnings("emulated tails: the CPU quota that emulates dpuB stopped its threads in 40 of 100 " +
		"periods of 10ms, for 301ms in all: p99, p99.9 and the maximum latency show this quota, and not a DPU")
	if got := after.WarningsSince(before); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, err := new(Machines).Throttling(); err != nil || got != nil {
		t.Errorf("without emulated machines: %v, %v", got, err)
	}
}
