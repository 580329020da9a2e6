package bench

import (
	"fmt"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/partition"
	"dpukv/load"
)

// BenchmarkClient is the load client's cost beside its server's, including choosing, hashing and
// checking. With a client that costs more than the server, a measurement would show the client.
// Each closed loop has a floor, a bare client: it moves the same bytes, and neither makes requests
// nor reads answers. All run for a fixed time, not for b.N.
func BenchmarkClient(b *testing.B) {
	for _, window := range []int{1, 4} {
		b.Run(fmt.Sprintf("window=%d", window), func(b *testing.B) { benchClient(b, window, 0) })
		b.Run(fmt.Sprintf("window=%d/bare", window), func(b *testing.B) { benchBare(b, window) })
	}
	for _, rate := range []float64{500_000, 2_000_000} {
		b.Run(fmt.Sprintf("rate=%.0f", rate), func(b *testing.B) { benchClient(b, 1, rate) })
	}
}

// benchClient runs the load client, in a closed loop if the rate is 0.
func benchClient(b *testing.B, window int, rate float64) {
	s := startMica(b, partition.Cache, study)
	r := must.Get(mica.Dial(b.Context(), s.Addr()))(b)
	defer r.Close()
	var first, last kvs.WorkerStats
	res := must.Get(client.Run(b.Context(), r, client.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: study.keys, KeyBytes: 8, ValueBytes: study.valueBytes,
				GetRatio: .95, Seed: 1,
			},
			Connections: study.connections, Window: window, Batch: study.batch, RateOps: rate,
			Hash: "city64", Warmup: 200 * time.Millisecond,
		},
		Threads: 1, Duration: time.Second, CPUs: []int{clientCPU},
		OnProgress: func(p client.Progress) {
			if st, err := s.Stats(); err == nil && p.Phase == client.PhaseMeasure && p.Elapsed > 0 {
				if last = st.Workers[0]; first.Ops == 0 {
					first = last
				}
			}
		},
	}))(b)
	thread := res.Threads[0]
	b.ReportMetric(float64(thread.SpinNs)/float64(thread.Ops), "client-spin-ns/op")
	b.ReportMetric(res.Point.ThroughputOps/1e6, "Mops")
	b.ReportMetric(float64(res.Point.P99Ns)/1e3, "p99-µs")
	reportCosts(b, float64(thread.CPUNs)/float64(thread.Ops), &first, &last)
}

// reportCosts reports the client's cost of an operation beside the server's.
func reportCosts(b *testing.B, clientNs float64, first, last *kvs.WorkerStats) {
	serverNs := float64(last.CPUNs-first.CPUNs) / float64(last.Ops-first.Ops)
	b.ReportMetric(clientNs, "client-cpu-ns/op")
	b.ReportMetric(serverNs, "server-cpu-ns/op")
	b.ReportMetric(clientNs/serverNs, "x-server")
	b.ReportMetric(0, "ns/op")
}
