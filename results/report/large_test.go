package report

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/results/resultstest"
)

const largePoints = 100_000

// TestLargeRun makes the page of a large run within its memory, and says how long it and a browser take.
func TestLargeRun(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	run := largeRun(t, largePoints)
	began := time.Now()
	address := page(t, run, Options{})
	took := time.Since(began)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	info, err := os.Stat(strings.TrimPrefix(address, "file://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("made in %v, %d MB; %d MB of memory taken from the system", took, info.Size()>>20, m.Sys>>20)
	if m.Sys > 1<<30 { // it never shrinks, and has the making of the run in it
		t.Errorf("%d bytes of memory, want less than 1 GiB", m.Sys)
	}
	b := resultstest.NewBrowser(t)
	b.Open(t, address)
	t.Logf("drawn %.0f ms after the browser began with it", resultstest.Eval[float64](t, b, `performance.getEntriesByName("drawn")[0].startTime`))
	if rows := resultstest.Eval[string](t, b, `document.querySelector("#points-lead").textContent`); !strings.HasPrefix(rows, "20 000 rows") {
		t.Errorf("the table begins %q", rows)
	}
	if errs := b.Errors(); len(errs) > 0 {
		t.Errorf("the page logged %q", errs)
	}
}

func BenchmarkRead(b *testing.B) {
	run := largeRun(b, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(run, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
