package liveline

import (
	"bytes"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/results"
)

// showAll gives a line the reports of a load of 20 s: 1,000 operations of 50 µs each 100 ms, and from
// 10 s on 2,000 of 100 µs.
func showAll(l *Line) {
	h := results.NewHistogram()
	l.Show(client.Progress{Phase: client.PhasePreload, Done: 45, Total: 100})
	l.Show(client.Progress{Phase: client.PhaseMeasure})
	for at := 100 * time.Millisecond; at <= 20*time.Second; at += 100 * time.Millisecond {
		h.Reset()
		if at <= 10*time.Second {
			results.RecordN(h, 50_000, 1000)
		} else {
			results.RecordN(h, 100_000, 2000)
		}
		errors := uint64(0)
		if at > 15*time.Second {
			errors = 3
		}
		l.Show(client.Progress{Phase: client.PhaseMeasure, Elapsed: at, Latencies: h, Errors: errors})
	}
	l.Close()
}

// TestLines: a log has a line for each ten seconds, of those ten seconds alone.
func TestLines(t *testing.T) {
	var log bytes.Buffer
	showAll(New(&log))
	want := " 10.0 s: 10.0 kops, p50 50.0 µs, p99 50.0 µs, 0 errors\n" +
		" 20.0 s: 20.0 kops, p50 100 µs, p99 100 µs, 3 errors\n"
	if log.String() != want {
		t.Errorf("found\n%swant\n%s", &log, want)
	}
}

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		Phase("preload", 45, 100): "preload 45 %",
		Phase("ready", 0, 0):      "ready",
	} {
		if got != want {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}
