package runfoldertest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
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

// LargeStudy is a large run of many curves, like a study's.
func LargeStudy(tb testing.TB, n int) *runfolder.Run {
	tb.Helper()
	var curve []results.Point
	return Large(tb, n, func(i int) results.Point {
		seed := i / 25 * 25
		if i%25 == 0 {
			curve = resultstest.Curve(1e6+float64(seed), []int{1, 2, 4, 8, 16}, 5)
		}
		p := curve[i%25]
		p.ValueBytes, p.GetRatio = 8<<(seed/25%8), []float64{1, 0.95, 0.5}[seed/200%3]
		p.Keys = 1000 * (1 + seed/600)
		p.ID = fmt.Sprintf("mica-CH-SH-off-path-get%g-k%d-v%d-c%d-r%d",
			p.GetRatio, p.Keys, p.ValueBytes, p.ClientThreads, p.Repeat)
		if i%7 == 0 {
			p.Warnings = results.ReadWarnings(
				fmt.Sprintf("client-bound: the client's threads were busy for %d %% of the "+
					"time of their CPUs", 85+i%15))
		}
		return p
	})
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
