package table

import (
	"bytes"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestPointGolden(t *testing.T) {
	open := resultstest.OpenLoopPoints()
	notPlaced := resultstest.LocalPoint(func(p *results.Point) {
		p.Placement, p.Submode, p.ServerCPUs, p.ClientCPUs, p.Evicted = "", "", nil, []int{0, 1, 2, 5}, 7
		p.ServerInterruptShare, p.ClientInterruptShare = 0.12, 0.004
	})
	atOnce := resultstest.LocalPoint()
	broken := resultstest.LocalPoint(resultstest.Failed("the connection was closed by the server"),
		func(p *results.Point) {
			p.Errors = 3
		})
	steady := resultstest.LocalPoint(func(p *results.Point) {
		p.LatencyInterval = results.LatencyInterval{
			Sections: 5, P50LoNs: 98e3, P50HiNs: 103e3, P95LoNs: 140e3, P95HiNs: 160e3, P99LoNs: 190e3,
			P99HiNs: 220e3, P999LoNs: 400e3,
		}
	})
	stages := resultstest.LocalPoint(func(p *results.Point) {
		p.RateOps, p.Actual = 1.5e6, resultstest.Latency(80e3)
		p.Stages = results.StagesOf(p, 3000, 21e3)
		p.ServerNode.Kind = results.KindHost
		p.ServerEnergyUJPerOp, p.ServerEnergyBy = 41.5, "rapl: package-0"
	})
	computing := resultstest.LocalPoint(computes)
	split := map[string]results.Point{}
	for _, p := range resultstest.SplitPoints() {
		if p.Lanes != nil {
			p.Lanes.CPUs = []int{4, 5}
		}
		split[p.Placement] = p
	}
	halves, proxy := split["CH-ED-SH"], split["CH-PD-SH"]
	for name, p := range map[string]*results.Point{
		"compute":    &computing,
		"halves":     &halves,
		"proxy":      &proxy,
		"open":       &open[2],
		"stages":     &stages,
		"not-placed": &notPlaced,
		"failed":     resultstest.FailedOnly(&atOnce),
		"broken":     &broken,
		"intervals":  &steady,
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must.Do(t, WritePoint(&b, p))
			resultstest.Golden(t, "point-"+name+".golden", b.Bytes())
		})
	}
}

// TestServerThatDied: what nobody counted is no "errors none", and no CPU time of 0.
func TestServerThatDied(t *testing.T) {
	p := resultstest.LocalPoint(func(p *results.Point) {
		p.Status, p.Error = results.StatusFailed, "connection reset by peer"
		p.ServerCPUNsPerOp, p.ServerCPUShare, p.ClientCPUNsPerOp, p.ClientCPUShare = 0, 0, 0, 0
	})
	var b bytes.Buffer
	must.Do(t, WritePoint(&b, &p))
	text := b.String()
	for _, line := range []string{
		"  errors      the failure above", "\n  server CPU  unknown\n", "\n  client CPU  unknown",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("found no %q in\n%s", line, text)
		}
	}
	if strings.Contains(text, "none\n") || strings.Contains(text, " 0 % of") {
		t.Errorf("found\n%s", text)
	}
}

// TestUnknownCPU: a CPU time that nobody measured is not shown as 0.
func TestUnknownCPU(t *testing.T) {
	p := resultstest.LocalPoint(func(p *results.Point) { p.ServerCPUNsPerOp = 0 })
	var b bytes.Buffer
	must.Do(t, WritePoint(&b, &p))
	if !strings.Contains(b.String(), "server CPU  unknown per operation, ") {
		t.Errorf("found\n%s", b.String())
	}
}
