package mica

import (
	"bytes"
	"context"
	"net"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/internal/test/must"
	"dpukv/kvs/internal/pipetest"
	"dpukv/load"
	"dpukv/results"
)

// TestSlowPath measures over a proxy that keeps every answer for a while. The rest has that time,
// not the server.
func TestSlowPath(t *testing.T) {
	const delay = 20 * time.Millisecond
	cfg := testConfig()
	cfg.Workers = 1
	server := startServer(t, cfg)
	proxy := pipetest.NewProxy(t, server.Addr())
	_, own, _ := net.SplitHostPort(server.Addr())
	_, other, _ := net.SplitHostPort(proxy.Addr)
	proxy.Spoil(func(answer []byte) []byte {
		if h, err := parseHeader(answer); err == nil && h.kind == kindWelcome {
			body := bytes.ReplaceAll(answer[headerBytes:h.bytes], []byte(own), []byte(other))
			return control(kindWelcome, h.sequence, body)
		}
		time.Sleep(delay)
		return answer
	})
	p := measure(t, proxy.Addr)
	if p.Stages.RestNs < float64(delay)/2 {
		t.Errorf("a delay of %v on the path: found %+v", delay, p.Stages)
	}
	checkStages(t, p)
}

// measure is a short load of batches of 16, one at a time.
func measure(t *testing.T, addr string) *results.Point {
	t.Helper()
	r := must.Get(Dial(context.Background(), addr))(t)
	defer r.Close()
	res, err := client.Run(context.Background(), r, client.Config{
		Load: load.Load{
			Workload:    load.Workload{Keys: 64, KeyBytes: 8, ValueBytes: 8, GetRatio: 0.5, Seed: 1},
			Connections: 1, Window: 1, Batch: 16, Hash: "city64", Warmup: 20 * time.Millisecond,
		},
		Threads: 1, Duration: 300 * time.Millisecond, Interval: 100 * time.Millisecond, ServerAddr: addr,
	})
	must.Do(t, err)
	return &res.Point
}

// checkStages checks that the stages are there and add up.
func checkStages(t *testing.T, p *results.Point) {
	t.Helper()
	s := p.Stages
	if s.ServerResidenceNs <= 0 || s.ClientQueueNs < 0 || s.BeforeSendNs != 0 {
		t.Errorf("found %+v in a closed loop", s)
	}
	sum := s.BeforeSendNs + s.ClientQueueNs + s.ServerResidenceNs + s.RestNs
	if diff := sum - p.MeanNs; diff > 1 || diff < -1 {
		t.Errorf("the stages add up to %v, the mean latency is %v", sum, p.MeanNs)
	}
	if w := p.ServerWorkers[0].ResidenceNs; w != s.ServerResidenceNs {
		t.Errorf("the only worker has %v, the point %v", w, s.ServerResidenceNs)
	}
}
