package resultstest

import (
	"fmt"
	"math"
	"time"

	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// Point is a valid point of MICA at 95 % GET. Edits change it. Then Point derives the counts from
// the figures, and sets an ID if there is none.
func Point(edits ...func(*results.Point)) results.Point {
	p := results.Point{
		Identity: results.Identity{Schema: results.SchemaVersion, Status: results.StatusOK},
		Asked: results.Asked{
			Store: "mica", Placement: "CH-SH", Submode: "off-path",
			Load: load.Load{
				Workload: load.Workload{
					GetRatio: 0.95, Dist: load.Uniform,
					Keys: 1 << 20, KeyBytes: 8, ValueBytes: 8, Seed: 1,
				},
				Batch: 64, Window: 1, Connections: 1, Hash: "city64", Warmup: 1e9,
			},
			Setup:         kvs.Setup{Mode: "cache", Access: "erew"},
			ServerThreads: 2, ClientThreads: 1, Repeat: 1,
		},
		Reached: results.Reached{Transport: "tcp"},
		Used: results.Used{
			Pages: "thp", ServerCPUs: []int{0, 1},
			ClientCPUs: []int{2}, OpsPerFrame: 64, BytesPerFrame: 1608,
			ServerVersion: "v0.1.0", ClientVersion: "v0.1.0", ServerAddr: "127.0.0.1:4000",
			PreloadHitRate: 0.998,
		},
		Counted: results.Counted{
			StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), DurationNs: 5e9,
			ThroughputOps: 1.5e6,
		},
		Cost: results.Cost{
			ServerCPUNsPerOp: 310, ClientCPUNsPerOp: 420, ClientCPUShare: 0.63,
			ClientBusyShare: 0.6, ServerCPUShare: 0.47,
		},
		Hashing:  results.Hashing{ClientHashShare: 0.016},
		Latency:  Latency(100e3),
		Warnings: results.Warnings{},
	}
	for _, edit := range edits {
		edit(&p)
	}
	p.Ops = uint64(p.ThroughputOps * float64(p.DurationNs) / 1e9)
	p.Gets = uint64(p.GetRatio * float64(p.Ops))
	p.Hits, p.Misses = p.Gets-p.Gets/1000, p.Gets/1000
	if p.Actual == (results.Latency{}) {
		p.Actual = p.Latency
	}
	if p.ID == "" {
		p.ID = fmt.Sprintf("%s-%s-%s-get%g-st%d-ct%d-rate%g-v%d-r%d", p.Store, p.Placement,
			p.Submode,
			p.GetRatio*100, p.ServerThreads, p.ClientThreads, p.RateOps, p.ValueBytes, p.Repeat)
	}
	return p
}

// Latency is a distribution with this median, in nanoseconds.
func Latency(p50 float64) results.Latency {
	return results.Latency{
		MeanNs: p50 * 1.1, P50Ns: int64(p50), P95Ns: int64(p50 * 1.5),
		P99Ns: int64(p50 * 2), P999Ns: int64(p50 * 5), MaxNs: int64(p50 * 20),
	}
}

// Failed turns a point into one that failed for a reason.
func Failed(reason string) func(*results.Point) {
	return func(p *results.Point) { p.Status, p.Error = results.StatusFailed, reason }
}

// Curve is a store that nears a peak (operations a second) as client threads are added, while its
// latency grows with the queue. Repeats differ by about two per cent.
func Curve(
	peak float64, threads []int, repeats int, edits ...func(*results.Point),
) []results.Point {
	var points []results.Point
	for _, n := range threads {
		for repeat := 1; repeat <= repeats; repeat++ {
			jitter := 1 + 0.02*math.Sin(float64(7*n+3*repeat)+peak)
			ops := peak * (1 - math.Exp(-float64(n)/4)) * jitter
			points = append(points, Point(append([]func(*results.Point){func(p *results.Point) {
				p.ClientThreads, p.Repeat, p.ThroughputOps = n, repeat, math.Round(ops)
				p.Latency = Latency(math.Round(float64(n) * 64 / ops * 1e9 / jitter))
				p.ServerCPUShare = min(1, ops/peak)
				p.ClientBusyShare = 0.3
				share := min(1, ops/peak)
				for w := range p.ServerThreads {
					p.ServerWorkers = append(p.ServerWorkers, results.ServerWorker{
						Worker: w, Ops: uint64(ops * 5 / 2), Gets: uint64(ops * 2),
						Hits:    uint64(ops * 2),
						Batches: uint64(ops * 5 / 2 / 48),
						CPUNs:   int64(share * 5e9), CPUShare: share,
					})
				}
			}}, edits...)...))
		}
	}
	return points
}
