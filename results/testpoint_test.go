package results

import (
	"fmt"
	"time"

	"dpukv/client/load"
	_ "dpukv/kvs/stores" // titles of stores
)

// testPoint is a valid point; edits change it, after which its ID and what follows
// from its figures are set.
func testPoint(edits ...func(*Point)) Point {
	p := Point{
		Schema: SchemaVersion, Status: StatusOK,
		Store: "mica", Placement: "local", Submode: "direct",
		Load: load.Load{
			Workload: load.Workload{
				GetRatio: 0.95, Dist: load.Uniform,
				Keys: 1 << 20, KeyBytes: 8, ValueBytes: 8, Seed: 1,
			},
			Batch: 64, Window: 4, Connections: 1, Hash: "city64", Warmup: 1e9,
		},
		ServerThreads: 1, ClientThreads: 1, Repeat: 1,
		Transport: "tcp", Mode: "cache", Access: "erew", Pages: "thp",
		ServerCPUs: []int{0}, ClientCPUs: []int{1}, OpsPerFrame: 64, BytesPerFrame: 1100,
		ServerVersion: "v0.1.0", ClientVersion: "v0.1.0", ServerAddr: "127.0.0.1:4000", PreloadHitRate: 1,
		StartedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), DurationNs: 5e9,
		ThroughputOps: 1.5e6, Latency: testLatency(100e3),
		ServerCPUNsPerOp: 310, ClientCPUNsPerOp: 420, ClientCPUShare: 0.63, ServerCPUShare: 0.47, ClientHashShare: 0.016,
		Warnings: []string{},
	}
	for _, edit := range edits {
		edit(&p)
	}
	p.Ops = uint64(p.ThroughputOps * float64(p.DurationNs) / 1e9)
	p.Gets = uint64(p.GetRatio * float64(p.Ops))
	p.Hits, p.Misses = p.Gets-p.Gets/1000, p.Gets/1000
	if p.Actual == (Latency{}) {
		p.Actual = p.Latency
	}
	if p.ID == "" {
		p.ID = fmt.Sprintf("%s-%s-get%g-st%d-ct%d-rate%g-k%dv%d-r%d",
			p.Store, p.Placement, p.GetRatio*100, p.ServerThreads, p.ClientThreads, p.RateOps, p.KeyBytes, p.ValueBytes, p.Repeat)
	}
	return p
}

// testLatency is a distribution with this median, in nanoseconds.
func testLatency(p50 float64) Latency {
	return Latency{
		MeanNs: p50 * 1.1, P50Ns: int64(p50), P95Ns: int64(p50 * 1.5),
		P99Ns: int64(p50 * 2), P999Ns: int64(p50 * 5), MaxNs: int64(p50 * 20),
	}
}

// failed makes a point one that failed for a reason.
func failed(reason string) func(*Point) {
	return func(p *Point) { p.Status, p.Error = StatusFailed, reason }
}
