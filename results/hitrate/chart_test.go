package hitrate

import (
	"fmt"
	"strings"
	"testing"

	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// cache is a point of a store with a limit, whose threads ask for keys of which a share fits.
func cache(store string, mib int64, threads int, onMiss string, hits uint64) results.Point {
	p := results.Point{
		Identity: results.Identity{Status: results.StatusOK},
		Asked: results.Asked{
			Store: store, Placement: "CH-SH", Submode: "off-path", ClientThreads: threads, ServerThreads: 1,
			Setup: kvs.Setup{MemoryBytes: mib << 20},
			Load:  load.Load{OnMiss: onMiss, Workload: load.Workload{GetRatio: 1}},
		},
	}
	p.Gets, p.Hits, p.Misses, p.ThroughputOps = 100, hits, 100-hits, 1e6*float64(threads)
	return p
}

// TestCharts: hit rates go over the load and over the memory, each where it varies. A store whose
// GETs may not miss has no chart.
func TestCharts(t *testing.T) {
	points := []results.Point{
		cache("redis", 64, 1, load.FillMisses, 40), cache("redis", 64, 1, load.FillMisses, 44),
		cache("redis", 128, 1, load.FillMisses, 70), cache("redis", 64, 2, load.FillMisses, 41),
		cache("redis", 128, 2, load.FillMisses, 71), cache("redis", 0, 1, load.FillMisses, 99),
		cache("mica", 64, 1, "", 100), cache("mica", 128, 1, "", 100),
	}
	var b strings.Builder
	for _, c := range Charts(points) {
		fmt.Fprintf(&b, "%s: %s over %s\n", c.Stem, c.Y.Label(), c.X.Label())
		for _, l := range c.Panels[0].Lines {
			for _, m := range l.Marks {
				fmt.Fprintf(&b, "  %s: %g %% at %g\n", l.Label, m.Y.Median, m.X.Median)
			}
		}
	}
	const want = `redis-get100-hit-rate: hit rate (%) over throughput (Mops)
  64MiB of memory: 42 % at 1e+06
  64MiB of memory: 41 % at 2e+06
  128MiB of memory: 70 % at 1e+06
  128MiB of memory: 71 % at 2e+06
redis-get100-hit-rate-memory: hit rate (%) over memory for items
  1 client thread: 42 % at 6.7108864e+07
  1 client thread: 70 % at 1.34217728e+08
  2 client threads: 41 % at 6.7108864e+07
  2 client threads: 71 % at 1.34217728e+08
`
	if b.String() != want {
		t.Errorf("found\n%s", b.String())
	}
}
