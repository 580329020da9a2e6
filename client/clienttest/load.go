package clienttest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/hashbench"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
	"dpukv/results"
)

// Fault runs a small load and calls happen once in the measurement period. The call comes after the
// first reading of the counters, and long before the second. So the load is the first to notice.
// Fault returns the reason for the point's failure. A busy machine may keep a server from running
// for a while; the load's timeout is longer.
func Fault(t testing.TB, r kvs.Remote, happen func()) error {
	t.Helper()
	res, err := during(t, r, 3*time.Second, happen)
	if res.Point.Status != results.StatusFailed {
		return fmt.Errorf("the point's status is %s, want %s", res.Point.Status,
			results.StatusFailed)
	}
	return err
}

// Reset runs a small load, and calls reset once in the measurement period. It resets the server's
// counters. The point has no CPU time of the server, and says why.
func Reset(t testing.TB, r kvs.Remote, reset func()) {
	t.Helper()
	res := must.Get(during(t, r, 600*time.Millisecond, reset))(t)
	p := &res.Point
	if p.ServerCPUNsPerOp != 0 || len(p.ServerWorkers) > 0 ||
		!strings.Contains(p.Warnings.String(), "counters") {
		t.Errorf("found %.0f ns an operation, workers %+v, warnings %q", p.ServerCPUNsPerOp,
			p.ServerWorkers, p.Warnings)
	}
}

// during runs a small load and calls happen once in the measurement period.
func during(
	t testing.TB, r kvs.Remote, period time.Duration, happen func(),
) (*client.Result, error) {
	t.Helper()
	var once sync.Once
	res, err := client.Run(t.Context(), r, client.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 1000, KeyBytes: 8, ValueBytes: 8, GetRatio: 0.9,
				Dist: load.Uniform, Seed: 1,
			},
			Connections: 2, Window: 1, Batch: 16, Hash: hashbench.Default,
		},
		Threads:  1,
		Duration: period, Timeout: time.Second, Interval: 50 * time.Millisecond,
		OnProgress: func(p client.Progress) {
			if p.Phase == client.PhaseMeasure && p.Elapsed > 0 {
				once.Do(happen)
			}
		},
	})
	if res == nil {
		t.Fatal(err)
	}
	return res, err
}

// Point puts a small load on every connection and returns its point. The load lasts for a second,
// so that the kernel's ticks tell the server's threads apart.
func Point(t testing.TB, r kvs.Remote, connections int) *results.Point {
	t.Helper()
	res := must.Get(client.Run(t.Context(), r, client.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 1000, KeyBytes: 8, ValueBytes: 8, GetRatio: 0.9,
				Dist: load.Uniform, Seed: 1,
			},
			Connections: connections, Window: 1, Batch: 64, Hash: kvs.NoHash,
		},
		Threads: 1, Duration: time.Second,
	}))(t)
	return &res.Point
}

// Throughput stores the workload's keys and asks for them for three seconds, from one CPU. It
// reports the throughput and the server's CPU time per operation.
func Throughput(b *testing.B, r kvs.Remote, w load.Workload, connections, batch, on int) {
	b.Helper()
	res, err := client.Run(b.Context(), r, client.Config{
		Load: load.Load{
			Workload: w, Connections: connections, Window: 1, Batch: batch,
			Hash: hashbench.Default,
		},
		Threads: 1, CPUs: []int{on}, Duration: 3 * time.Second,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(res.Point.ServerCPUNsPerOp, "server-cpu-ns/op")
	b.ReportMetric(res.Point.ThroughputOps/1e6, "Mops")
}
