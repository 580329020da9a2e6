package results

import (
	"strings"
	"testing"
)

func TestBottleneck(t *testing.T) {
	busy := func(client, server float64) func(*Point) {
		return func(p *Point) {
			p.ClientCPUShare, p.ClientBusyShare, p.ServerCPUShare = client, client, server
		}
	}
	workers := func(p *Point) {
		p.ServerWorkers = []ServerWorker{{Worker: 0, CPUNs: 1, CPUShare: 0.2}, {Worker: 1, CPUNs: 5, CPUShare: 0.97}}
	}
	polling := func(p *Point) { p.Transport = "rdma" }
	for name, c := range map[string]struct {
		edits     []func(*Point)
		side, why string
	}{
		"client":               {[]func(*Point){busy(0.95, 0.3)}, SideClient, "at work for 95 %"},
		"server":               {[]func(*Point){busy(0.3, 0.95)}, SideServer, "the server's threads for 95 %"},
		"both":                 {[]func(*Point){busy(0.9, 0.95)}, SideBoth, ""},
		"neither":              {[]func(*Point){busy(0.3, 0.3)}, SideNeither, "the window"},
		"one worker of two":    {[]func(*Point){busy(0.3, 0.58), workers}, SideServer, "the busiest of the server's 2 workers (number 1) for 97 %"},
		"a server that polls":  {[]func(*Point){busy(0.3, 1), polling}, SideUnknown, "poll"},
		"client, server polls": {[]func(*Point){busy(0.95, 1), polling}, SideClient, "poll"},
		"not known":            {[]func(*Point){busy(0, 0)}, SideUnknown, "not known"},
		"failed":               {[]func(*Point){busy(0.95, 0.3), failed("?")}, SideUnknown, "not known"},
		"server held down": {[]func(*Point){busy(0.3, 0.24), func(p *Point) {
			p.ServerNode = Node{Node: "dpuB", Kind: "dpu", Profile: "bf2"}
		}}, SideUnknown, "the profile bf2 of dpuB limits its CPU time"},
		"server's CPUs had by others": {[]func(*Point){busy(0.3, 0.45), func(p *Point) {
			p.ServerOthersShare, p.ServerStolenShare = 0.3, 0.2
		}}, SideUnknown, "others had its CPUs for 50 %"},
		"client's CPUs had by others": {[]func(*Point){busy(0.3, 0.45), func(p *Point) { p.ClientOthersShare = 0.5 }}, SideUnknown, "others had its CPUs"},
		"others, but full":            {[]func(*Point){busy(0.3, 0.88), func(p *Point) { p.ServerOthersShare = 0.12 }}, SideServer, ""},
		"others, a little":            {[]func(*Point){busy(0.3, 0.45), func(p *Point) { p.ServerOthersShare = 0.09 }}, SideNeither, ""},
		"one of several clients": {[]func(*Point){busy(0.6, 0.3), func(p *Point) {
			p.Warnings = []string{"dpuA: client-bound: …"}
		}}, SideClient, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := testPoint(c.edits...)
			if got := p.Bottleneck(); got.Side != c.side || !strings.Contains(got.Why, c.why) {
				t.Errorf("found %+v, want %s with %q", got, c.side, c.why)
			}
		})
	}
}

func TestKneePeakAndBound(t *testing.T) {
	p99, _ := parseMeasure("p99")
	line := Lines(saturating("local", 1, 2e6, []int{1, 2, 4, 16}, 3))[0]
	knee, ok := line.Knee(p99)
	if !ok || knee.AxisValue != "4" {
		t.Errorf("knee at %+v, %v", knee, ok)
	}
	if peak := line.Peak(); peak.AxisValue != "16" {
		t.Errorf("peak at %s", peak.AxisValue)
	}
	for text, want := range map[string]string{"p99=100ns": "", "p99=1.2ms": "1", "p99=1.7ms": "4", "p99 = 1s": "16"} {
		bound, err := ParseBound(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if m := line.Within(bound); m != nil {
			got = m.AxisValue
		}
		if got != want {
			t.Errorf("within %v: %q, want %q", bound, got, want)
		}
	}
	rising := Lines(saturating("local", 1, 2e6, []int{1, 2}, 1))[0]
	if _, ok := rising.Knee(p99); ok {
		t.Error("a line that is still rising has a knee")
	}
	for _, bad := range []string{"", "p99", "p98=1ms", "p99=fast", "p99=-1ms", "p99=0"} {
		if _, err := ParseBound(bad); err == nil {
			t.Errorf("%q is taken for a bound", bad)
		}
	}
}

func TestTellingLeavesOutWhatFollows(t *testing.T) {
	var points []*Point
	for i, store := range []string{"mica", "herd"} {
		for _, threads := range []int{1, 2} {
			p := testPoint(func(p *Point) { p.Store, p.KeyBytes, p.ClientThreads = store, 8<<i, threads })
			points = append(points, &p)
		}
	}
	if got := labels(points); got != "MICA, 1 client thread" {
		t.Errorf("found %q", got)
	}
}

func labels(points []*Point) string { return Labels(Telling(Dimensions(), points), points[0]) }
