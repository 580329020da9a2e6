package perf

import (
	"testing"
	"time"
)

// TestMarksAreBounded: a run of any length keeps few marks, at equal distances, and loses no message.
func TestMarksAreBounded(t *testing.T) {
	m := newMarks()
	m.restart(7)
	const n = 10*maxMarks + 1
	for i := 1; i <= n; i++ {
		m.add(mark{time.Duration(i) * time.Microsecond, 7 + 3*i})
	}
	all := m.all()
	if len(all) > maxMarks || len(all) < maxMarks/2 || m.messages() != 3*n {
		t.Errorf("%d marks, %d messages", len(all), m.messages())
	}
	apart := all[1].complete - all[0].complete
	for i := 1; i < len(all)-1; i++ {
		if d := all[i].complete - all[i-1].complete; d != apart {
			t.Fatalf("mark %d: %d messages, want %d", i, d, apart)
		}
	}
	if r := rates(all, 1<<20); r.AverageMBs < 2.999e6 || r.AverageMBs > 3.001e6 || r.PeakMBs > 3.001e6 {
		t.Errorf("got %+v, want 3e6 MB/s throughout", r)
	}
}
