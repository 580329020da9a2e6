package claims

import (
	"bytes"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
)

// lynxRun has the figures of Lynx. The tail of a server on the host is 13 times as long beside a
// neighbour, and that of a split server is not.
func lynxRun(edits ...func(*results.Point)) Run {
	add := func(store, placement string, servers int, ops, p99 float64, own ...func(*results.Point)) []results.Point {
		own = append(own, func(p *results.Point) { p.P99Ns = int64(p99) })
		return curve(store, placement, "off-path", 1, servers, line(ops), line(p99/2), append(own, edits...)...)
	}
	noisy := func(p *results.Point) { p.Neighbour = "cache" }
	r := Run{Name: "lynx", Generations: []string{"bf1"}}
	r.Points = append(r.Points, add("memcached", "CH-SH", 1, 250e3, 15e3)...)
	r.Points = append(r.Points, add("memcached", "CH-SH", 8, 900e3, 40e3)...)
	r.Points = append(r.Points, add("memcached", "CH-SD", 1, 60e3, 200e3)...)
	r.Points = append(r.Points, add("memcached", "CH-SD", 4, 200e3, 30e3)...)
	r.Points = append(r.Points, add("memcached", "CH-SD", 8, 400e3, 160e3)...)
	r.Points = append(r.Points, add("mica", "CH-SH", 1, 1e6, 130e3)...)
	r.Points = append(r.Points, add("mica", "CH-SH", 1, 1e6, 1.7e6, noisy)...)
	r.Points = append(r.Points, add("mica", "CH-ED-SH", 1, 1e6, 130e3)...)
	r.Points = append(r.Points, add("mica", "CH-ED-SH", 1, 1e6, 131e3, noisy)...)
	return r
}

func TestLynxAgreesWithItself(t *testing.T) {
	outcomes := books(t)[1].Evaluate(Evidence{Runs: []Run{lynxRun()}})
	if len(outcomes) != 9 {
		t.Errorf("found %d claims, want 9", len(outcomes))
	}
	for _, o := range outcomes {
		if o.Study == nil {
			expect(t, o, NotMeasured, "it needs a neighbour alone")
			continue
		}
		if o.Verdict != Agrees || o.Source != "Lynx" || len(o.Warnings) == 0 {
			t.Errorf("%s: found %s by %s (%s; %s)", o.Says, o.Verdict, o.Source, o.Which, o.Why)
		}
	}
}

// TestNeighboursAreNamed: the study's claims leave points beside a neighbour out.
func TestNeighboursAreNamed(t *testing.T) {
	run := lynxRun(func(p *results.Point) { p.Neighbour = "cache" })
	for _, o := range books(t).Evaluate(Evidence{Runs: []Run{run}}) {
		if o.Measured != nil {
			t.Errorf("%s: %s was measured", o.Finding, o.Says)
		}
	}
}

// TestTailOfAQuota: a warning about the tail leaves peaks as they are, and spoils claims about p99.
func TestTailOfAQuota(t *testing.T) {
	run := lynxRun(func(p *results.Point) {
		p.Warnings = results.ReadWarnings("emulated tails: the CPU quota stopped its threads")
	})
	for _, o := range books(t)[1].Evaluate(Evidence{Runs: []Run{run}}) {
		want := Agrees
		if strings.Contains(o.Says, "p99") {
			want = Inconclusive
		}
		if o.Study == nil {
			want = NotMeasured
		}
		if o.Verdict != want {
			t.Errorf("%s: found %s, want %s (%s)", o.Says, o.Verdict, want, o.Why)
		}
	}
}

func TestWriteNamesTheSource(t *testing.T) {
	ev := Evidence{Runs: []Run{lynxRun()}}
	var b bytes.Buffer
	must.Do(t, Write(&b, ev, books(t).Evaluate(ev)))
	must.Contain(t, b.String(),
		"Lynx-9 (Lynx §6.3, Figure 9)\n", "    Lynx 0.25 Mops  yours",
		"warning about Lynx: the paper gives no transport",
		"Of 9 cases of 9 claims of Lynx, 8 agree", " claims of the study, ", "    limit of dpukv ≤ 1.1×  yours 1.01×",
	)
}

// TestHalvesAreNotMixed: points in halves compare only if they agree in what only halves have, and in
// the application's compute.
func TestHalvesAreNotMixed(t *testing.T) {
	for name, edit := range map[string]func(*results.Point){
		"answers":        func(p *results.Point) { p.Answers = "write" },
		"wait":           func(p *results.Point) { p.Wait = "nap" },
		"engine threads": func(p *results.Point) { p.EngineThreads = 4 },
		"compute":        func(p *results.Point) { p.Compute = 20e3 },
	} {
		t.Run(name, func(t *testing.T) {
			halves := func(p *results.Point) { p.EngineThreads, p.Answers, p.Wait = 1, "read", "poll" }
			fast := func(p *results.Point) { p.P99Ns /= 4; edit(p) }
			run := lynxRun(halves)
			run.Points = append(run.Points, lynxRun(halves, fast).Points...)
			for _, o := range books(t)[1].Evaluate(Evidence{Runs: []Run{run}}) {
				if o.Finding == "Lynx-neighbour" && o.Study != nil {
					expect(t, o, Agrees, "")
				}
			}
		})
	}
}
