package main

import (
	"fmt"
	"io"

	"dpukv/internal/test/performance"
	"dpukv/results"
)

// lines writes points as lines of benchmarks. A point that failed is none.
func lines(w io.Writer, points []results.Point) error {
	bases := map[load][]results.Point{}
	for _, p := range points {
		if p.Store == base && p.Status == results.StatusOK {
			bases[loadOf(&p)] = append(bases[loadOf(&p)], p)
		}
	}
	for i := range points {
		p := &points[i]
		l := loadOf(p)
		multiple := multipleOf(bases[l])(p)
		if p.Status != results.StatusOK || multiple == 0 {
			continue
		}
		_, err := fmt.Fprintf(w, "BenchmarkPeers/store=%s/threads=%d/batch=%d/connections=%d/"+
			"window=%d/get=%.0f %d %.4g server-cpu-ns/op %.4g x-mica %.4g client-cpu-ns/op %.4g Mops "+
			"%.2f %s %.2f %s\n", p.Store, l.threads, l.batch, l.connections, l.window, 100*l.getRatio,
			p.Ops, p.ServerCPUNsPerOp, multiple, p.ClientCPUNsPerOp, p.ThroughputOps/1e6,
			p.ServerOthersShare+p.ClientOthersShare, performance.OthersUnit,
			p.ServerStolenShare+p.ClientStolenShare, performance.StolenUnit)
		if err != nil {
			return err
		}
	}
	return nil
}
