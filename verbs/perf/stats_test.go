package perf

import (
	"math"
	"testing"
	"time"
)

func TestMicros(t *testing.T) {
	samples := make([]time.Duration, 1000)
	for i := range samples {
		samples[i] = time.Duration(1000-i) * time.Microsecond // 1 to 1000, backwards
	}
	got := *micros(samples)
	if math.Abs(got.Stdev-288.675) > .001 {
		t.Errorf("standard deviation %v", got.Stdev)
	}
	got.Stdev = 0
	if want := (Micros{Min: 1, Max: 1000, Typical: 500, Avg: 500.5, P99: 990, P999: 999}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if one := *micros([]time.Duration{time.Microsecond}); one != (Micros{1, 1, 1, 1, 0, 1, 1}) {
		t.Errorf("of one sample: %+v", one)
	}
}

func TestRates(t *testing.T) {
	const mb = 1 << 20
	// Ten messages in the first second, twenty in the second.
	got := *rates([]mark{{0, 0}, {time.Second, 10}, {2 * time.Second, 30}}, mb)
	if want := (Rates{PeakMBs: 20, AverageMBs: 15, MsgMpps: 15e-6}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
