package runfoldertest

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder"
)

// Large makes a run folder of n points, faster than a sweep could: without digests, and without
// waiting for the disk after each.
func Large(tb testing.TB, n int, point func(i int) results.Point) *runfolder.Run {
	tb.Helper()
	run := Create(tb, nil)
	f := must.Get(os.Create(filepath.Join(run.Dir(), "points.jsonl")))(tb)
	buffered := bufio.NewWriterSize(f, 1<<20)
	out := json.NewEncoder(buffered)
	for i := range n {
		p := point(i)
		must.Do(tb, out.Encode(&p))
	}
	must.Do(tb, errors.Join(buffered.Flush(), f.Close()))
	return run
}

// Repeats is the point of an index among repeats of two placements, of which CH-SH is faster.
func Repeats(i int) results.Point {
	return resultstest.Point(func(p *results.Point) {
		p.Repeat = i/2 + 1
		p.ThroughputOps = 1.5e6 + 1e4*math.Sin(float64(i))
		p.Latency = resultstest.Latency(1e5 + 1e3*math.Sin(float64(i)))
		if i%2 == 1 {
			p.Placement = "CH-SD"
			p.ThroughputOps /= 1.5
		}
	})
}
