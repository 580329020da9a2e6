package table

import (
	"bytes"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestTableGolden(t *testing.T) {
	var alikeWarnings []results.Point
	for i, w := range []string{
		"busy for 91 % of the time", "busy for 99.5 % of the time", "too short for p99.9",
		"busy for 91 % of the time",
	} {
		alikeWarnings = append(alikeWarnings, resultstest.LocalPoint(func(p *results.Point) {
			p.Repeat, p.Warnings = i+1, results.ReadWarnings(w)
		}))
	}
	mixed := []results.Point{
		resultstest.LocalPoint(func(p *results.Point) {
			p.Store, p.Placement, p.Submode, p.GetRatio = "herd", "CH-SH", "off-path", 1
		}),
		resultstest.LocalPoint(func(p *results.Point) { p.Placement, p.Submode, p.Repeat = "CH-SH", "sm1", 1 }),
		resultstest.LocalPoint(func(p *results.Point) {
			p.Placement, p.Submode, p.Repeat, p.ThroughputOps = "CH-SH", "sm1", 2, 1.6e6
		}),
		resultstest.LocalPoint(func(p *results.Point) { p.GetRatio, p.Submode, p.Errors, p.Timeouts = 0, "sm5", 3, 1 }),
	}
	computing := []results.Point{resultstest.LocalPoint(), resultstest.LocalPoint(computes)}
	olderBuild := resultstest.Point(func(p *results.Point) { p.Placement = "CD-SH" })
	for name, points := range map[string][]results.Point{
		"compute":      computing,
		"halves":       append(resultstest.SplitPoints(), olderBuild),
		"local":        resultstest.LocalPoints(),
		"openloop":     resultstest.OpenLoopPoints(),
		"mixed":        mixed,
		"warnings":     alikeWarnings,
		"failedonly":   {resultstest.LocalPoint(resultstest.Failed("ssh: connect to host bf3:\nconnection refused\n"))},
		"empty":        nil,
		"single-point": {resultstest.LocalPoint()},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must.Do(t, Write(&b, points))
			resultstest.Golden(t, "table-"+name+".golden", b.Bytes())
		})
	}
}

// computes makes a point of a client that computes.
func computes(p *results.Point) {
	p.Compute, p.ComputeMeanNs, p.ComputeCPUNsPerOp = 20e3, 21e3, 325
	p.Overlap = results.Overlap{Percent: 73.25, CommNs: 75.1e3, ComputeNs: 63.6e3, OverallNs: 83.5e3}
	p.ClientCPUShare, p.ClientBusyShare, p.ClientCPUNsPerOp, p.Actual = 0.94, 0.38, 556, p.Latency
	p.Stages = results.StagesOf(p, 0, 21e3)
}

func TestTableColumnsAlign(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, Write(&b, resultstest.LocalPoints()))
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines[:12] {
		if got, want := len([]rune(line)), len([]rune(lines[0])); got != want && i != 1 {
			t.Errorf("line %d is %d characters wide, the head %d:\n%s", i+1, got, want, line)
		}
	}
}
