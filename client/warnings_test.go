package client

import (
	"strings"
	"testing"
	"time"

	"dpukv/kvs"
	"dpukv/results"
)

func TestWarnings(t *testing.T) {
	second := int64(time.Second)
	quiet := summed{groups: 1000, answeredIn: 1000, samples: 1e6, cpuNs: second / 2}
	for _, c := range []struct {
		name   string
		change func(*loadRun, *summed, *results.Point)
		want   string // "": none
	}{
		{"quiet", func(*loadRun, *summed, *results.Point) {}, ""},
		{"busy", func(_ *loadRun, s *summed, _ *results.Point) {
			s.cpuNs = second * 9 / 10
		}, "client-bound: the client's threads used 90 %"},
		{"busy spinning", func(_ *loadRun, s *summed, _ *results.Point) {
			s.cpuNs, s.spunNs = second, second/2
		}, "spent 50 % of their CPU time spinning"},
		{"shared CPU", func(r *loadRun, _ *summed, _ *results.Point) {
			r.cfg.Threads = 2
		}, "client threads share CPUs: threads [0 1] on CPU 3"},
		{"same CPUs", func(r *loadRun, _ *summed, _ *results.Point) {
			r.facts.CPUs = []int{2, 3}
		}, "client and server share CPUs [3]"},
		{"not pinned", func(r *loadRun, _ *summed, _ *results.Point) { r.facts.CPUs = nil }, "not both are pinned"},
		{"elsewhere", func(r *loadRun, _ *summed, _ *results.Point) {
			r.facts.CPUs, r.cfg.SameHost = []int{3}, false
		}, ""},
		{"polling on a shared CPU", func(r *loadRun, _ *summed, p *results.Point) {
			r.cfg.Threads, p.ClientThreads, p.ClientCPUs, p.ClientWait = 2, 2, []int{3}, kvs.WaitPoll
		}, "the client's threads share CPUs, and poll: 2 threads on CPUs 3. A thread waits while another polls"},
		{"polling beside the server", func(r *loadRun, _ *summed, p *results.Point) {
			r.facts.CPUs, p.ServerWait = []int{2, 3}, kvs.WaitPoll
		}, "client and server share CPUs [3], and one of them polls: the other waits meanwhile"},
		{"unchecked", func(r *loadRun, _ *summed, _ *results.Point) {
			r.facts.ReadCheck = kvs.Unchecked
		}, "unchecked: validate: none: a GET could return a value that nobody wrote"},
		{"checked", func(r *loadRun, _ *summed, _ *results.Point) {
			r.facts.ReadCheck = kvs.ByChecksum
		}, ""},
		{"rate met but for a batch", func(r *loadRun, _ *summed, _ *results.Point) { r.cfg.RateOps = 1020 }, ""},
		{"rate missed", func(r *loadRun, _ *summed, _ *results.Point) {
			r.cfg.RateOps = 1200
		}, "target rate missed: 1000 of 1200"},
		{"a maximum that is a lower bound", func(_ *loadRun, _ *summed, p *results.Point) {
			p.UnsentOps, p.LatencyLowerBoundFrom = 1, 100
		}, ""},
		{"lower bounds", func(_ *loadRun, _ *summed, p *results.Point) {
			p.UnsentOps, p.LatencyLowerBoundFrom = 17, 99.9
		}, "17 operations were due in the measurement period and never sent. They count with their age at the " +
			"end of the load, so the latencies from the intended send are lower bounds from p99.9 on"},
		{"late", func(_ *loadRun, _ *summed, p *results.Point) {
			p.P50Ns, p.ClientLag.P50Ns = 1000, 101
		}, "schedule late: found a p50 of 101 ns"},
		{"a late tail", func(_ *loadRun, _ *summed, p *results.Point) {
			p.P99Ns, p.ClientLag.P99Ns, p.ClientLag.MaxNs = 2e6, 1e6, 5e6
		}, "schedule late: found a p99 of 1.00 ms in the client's own delay of batches, allowed: a tenth of that " +
			"of the latency, 2.00 ms. The longest delay was 5.00 ms"},
		{"hardly late", func(_ *loadRun, s *summed, p *results.Point) {
			p.P99Ns, p.ClientLag.P99Ns, s.heldGroups = 2e6, 2e5, 10
		}, ""},
		{"a late tail of few batches", func(_ *loadRun, s *summed, p *results.Point) {
			p.P999Ns, p.ClientLag.P999Ns = 2e6, 1e6
		}, ""},
		{"held up", func(_ *loadRun, s *summed, _ *results.Point) { s.heldGroups = 11 }, "windows were full"},
		{"too short for p99.9", func(_ *loadRun, s *summed, _ *results.Point) {
			s.samples = 9999
		}, "too short for p99.9: 9999 batches"},
		{"too short for all", func(_ *loadRun, s *summed, _ *results.Point) { s.samples = 10 }, "too short for p95"},
		{"clamped", func(_ *loadRun, s *summed, _ *results.Point) {
			s.clamped = 3
		}, "3 latencies were outside the histograms' range of 1 ns to 2m0s"},
	} {
		cfg := smallLoad(t)
		cfg.Threads, cfg.CPUs, cfg.SameHost, cfg.RateOps = 1, []int{3}, true, 1000
		cfg.Duration, cfg.Batch = time.Second, 16
		r, s := &loadRun{cfg: cfg, facts: kvs.Facts{CPUs: []int{0, 1}}}, quiet
		p := &results.Point{Counted: results.Counted{Ops: 1000, ThroughputOps: 1000}}
		c.change(r, &s, p)
		got := r.warnings(p, s)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0].Text, c.want)) {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.want)
		}
		for _, w := range got {
			if w != results.ReadWarning(w.String()) || w.Kind == results.Other {
				t.Errorf("%s: %+v is not what its text is read as", c.name, w)
			}
		}
	}
}

// TestPacketLoss: counts and shares are those of each direction.
func TestPacketLoss(t *testing.T) {
	p := results.Point{
		Traffic: results.Traffic{
			ClientMovedWindow: results.Moved{Sockets: results.Packets{
				SentDataPackets: 48_000, ResentPackets: 480,
				ReceivedDataPackets: 10_000, OutOfOrderPackets: 20,
			}},
		},
	}
	got := packetLoss(&p).String()
	for _, want := range []string{
		"480 of 48000 sent in the measurement period (1 %, limit 0.1 %) were sent again",
		"20 of 10000 that the client received in the measurement period (0.2 %, limit 0.1 %)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	p.ClientMovedWindow.Sockets = results.Packets{
		SentDataPackets: 48_000, ResentPackets: 48, ReceivedDataPackets: 10_000, OutOfOrderPackets: 10,
	}
	if got := strings.TrimSpace(packetLoss(&p).String()); got != "" {
		t.Errorf("at the limit it says %q", got)
	}
}

// TestClientBoundAgreesWithBottleneck: a busy client names the server, too, where that was full.
func TestClientBoundAgreesWithBottleneck(t *testing.T) {
	for serverNs, want := range map[int64]string{
		6e8:   results.ClientsLimit,
		9.7e8: "Both sides are full: the client's CPUs were busy for 90 % of the time; the server's threads for 97 %",
	} {
		r := &loadRun{
			cfg: Config{Threads: 1, CPUs: []int{3}, Duration: time.Second}, pool: &threadPool{},
			facts: kvs.Facts{Workers: 1}, collector: newCollector(false, nil),
			loaders: []*loader{{
				thread: &thread{cfg: &Config{}}, ended: true, end: mark{cpuNs: int64(time.Second) * 9 / 10},
			}},
		}
		r.sampler.end.nowNs, r.sampler.end.server.CPUNs = int64(time.Second), serverNs
		p := r.result(nil).Point
		if text := p.Warnings.String(); !hasWarning(p, "client-bound: ") || !strings.Contains(text, want) {
			t.Errorf("found %q, want %q: the bottleneck is %+v", text, want, p.Bottleneck())
		}
	}
}
