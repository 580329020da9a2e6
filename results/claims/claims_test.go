package claims

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

func book(t *testing.T) *Book {
	t.Helper()
	b, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// placed is a curve of a store under a placement that peaks at ops and has a latency of ns at its highest load.
func placed(store, placement string, ops, ns float64, edits ...func(*results.Point)) []results.Point {
	return resultstest.Curve(ops, []int{1, 2, 4}, 3, append([]func(*results.Point){func(p *results.Point) {
		p.Store, p.Placement = store, placement
		p.ThroughputOps = ops * float64(p.ClientThreads) / 4 * (1 + 0.01*float64(p.Repeat-2))
		p.Latency = resultstest.Latency(ns * float64(p.ClientThreads) / 4 * (1 + 0.01*float64(p.Repeat-2)))
	}}, edits...)...)
}

func outcomes(t *testing.T, finding string, runs ...Run) []Outcome {
	t.Helper()
	return slices.DeleteFunc(book(t).Evaluate(runs), func(o Outcome) bool { return o.Finding != finding })
}

func bf2(points ...[]results.Point) Run {
	return Run{"bf2", slices.Concat(points...), []string{"bf2"}}
}

func all(share float64) func(*results.Point) {
	return func(p *results.Point) { p.GetRatio = share }
}

func TestEveryFindingOfTheStudyIsThere(t *testing.T) {
	var ids []string
	for _, f := range book(t).Findings {
		ids = append(ids, f.ID)
	}
	want := strings.Fields("N1 N2 A1-herd A1-herd-gen A1-cdh A1-mica A1-mica-bf2 A1-mica-bf3 A1-bf2-sd A1-cdsh A1-ch-bf3 A2 A3-share A3-bw A3-lat A4-peak A4-sm3 A4-sm45 M1 M2")
	if !slices.Equal(ids, want) {
		t.Errorf("found %q, want %q", ids, want)
	}
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		dpu   float64 // peak with the client on the DPU; 1.47 with it on the host
		edits []func(*results.Point)
		want  Verdict
		word  string
	}{
		"as in the study":    {1e6, nil, Agrees, "agrees (within 20 %)"},
		"too little":         {1.4e6, nil, Disagrees, "disagrees (not within 20 %, the same side is ahead)"},
		"the other way":      {2e6, nil, Disagrees, "disagrees (not within 20 %, the other side is ahead)"},
		"over an emulation":  {1e6, []func(*results.Point){func(p *results.Point) { p.Emulated, p.EmulatedTestbed = true, "bf2 by quota" }}, Agrees, "agrees (within 20 %) [emulated]"},
		"over software RDMA": {1e6, []func(*results.Point){func(p *results.Point) { p.Emulated, p.Provider = true, "softroce" }}, Agrees, "agrees (within 20 %) [emulated]"},
	} {
		t.Run(name, func(t *testing.T) {
			edits := append([]func(*results.Point){all(1)}, c.edits...)
			got := outcomes(t, "A1-mica-bf2", bf2(placed("mica", "CH-SH", 1.47e6, 1e5, edits...), placed("mica", "CD-SH", c.dpu, 1e5, edits...)))
			if len(got) != 1 || got[0].Verdict != c.want || got[0].Word() != c.word {
				t.Fatalf("found %+v, %q", got, got[0].Word())
			}
			if m := *got[0].Measured; math.Abs(m-1.47e6/c.dpu) > 1e-9 || *got[0].Low >= m || *got[0].High <= m {
				t.Errorf("measured %v (%v to %v)", m, *got[0].Low, *got[0].High)
			}
		})
	}
}

func TestNotMeasured(t *testing.T) {
	points := placed("mica", "CH-SH", 1e6, 1e5, all(1))
	for name, c := range map[string]struct {
		run  Run
		want string
	}{
		"no DPU":                  {Run{"here", points, nil}, "no run whose DPUs are BF-2"},
		"another generation":      {Run{"there", points, []string{"bf3"}}, "no run whose DPUs are BF-2"},
		"two generations at once": {Run{"mixed", points, []string{"bf2", "bf3"}}, "no run whose DPUs are BF-2"},
		"one side only":           {bf2(points), "no point of MICA, CD-SH, off-path, 100 % GET, BF-2"},
		"other settings":          {bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Batch = 32 })), "different settings"},
		"other keys":              {bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Keys *= 2 })), "different settings"},
		"another access":          {bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Access = "crcw" })), "different settings"},
		"with a filter":           {bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), func(p *results.Point) { p.Filter = "count-opcode" })), "no point of MICA, CD-SH"},
		"failed":                  {bf2(points, placed("mica", "CD-SH", 1e6, 1e5, all(1), resultstest.Failed("?"))), "no point of MICA, CD-SH"},
	} {
		t.Run(name, func(t *testing.T) {
			got := outcomes(t, "A1-mica-bf2", c.run)[0]
			if got.Verdict != NotMeasured || got.Measured != nil || !strings.Contains(got.Why, c.want) {
				t.Errorf("found %s: %s, want %q", got.Verdict, got.Why, c.want)
			}
		})
	}
}

// One figure of each kind, against what can be told by hand.
func TestFigures(t *testing.T) {
	host := placed("mica", "CH-SH", 3e6, 1e5, all(1))
	dpu := placed("mica", "CD-SH", 1e6, 2e5, all(1))
	server := placed("mica", "CH-SD", 1.2e6, 3e5, all(1), func(p *results.Point) { p.ThroughputOps = 1.2e6 })
	both := placed("mica", "CD-SD", 0.9e6, 2e5, all(1))
	run := bf2(host, dpu, server, both)
	bf3 := Run{"bf3", slices.Concat(placed("mica", "CH-SH", 3e6, 0.5e5, all(1)), placed("mica", "CH-SD", 3.9e6, 0.3e5, all(1))), []string{"bf3"}}
	for _, c := range []struct {
		finding, says string
		want          float64
	}{
		{"A1-mica", "peaks highest", 3 / 1.2},
		{"A1-mica", "peak with both on hosts over", 3 / 0.9},
		{"A1-mica", "latency with the client on a DPU over", 2},
		{"A1-bf2-sd", "does not change", 1},
		{"A1-cdsh", "rises linearly", 1},
		{"A2", "MICA's peaks", 0.1},
		{"A1-ch-bf3", "behind a BF-2 over that behind a BF-3", 2},
		{"A1-mica-bf3", "lower than with both on hosts by", 0.4},
		{"A1-mica-bf3", "server on a BF-3 over that with both on hosts behind a BF-2", 1.3},
		{"A3-share", "host client's CPU time that goes into hashing in MICA", 0.016},
	} {
		found := false
		for _, o := range outcomes(t, c.finding, run, bf3) {
			if !strings.Contains(o.Says, c.says) || o.Measured == nil {
				continue
			}
			if found = true; math.Abs(*o.Measured-c.want) > 0.001*c.want {
				t.Errorf("%s, %s: %v, want %v", c.finding, o.Says, *o.Measured, c.want)
			}
			if *o.Low > *o.Measured || *o.High < *o.Measured {
				t.Errorf("%s, %s: %v is not within %v and %v", c.finding, o.Says, *o.Measured, *o.Low, *o.High)
			}
		}
		if !found {
			t.Errorf("%s, %s: not measured", c.finding, c.says)
		}
	}
}

// A claim about latencies at a similar throughput holds no others against each other, whatever the loads are.
func TestLatencyAtASimilarThroughput(t *testing.T) {
	behind := func(generation string, ops, ns float64) Run {
		return Run{generation, placed("mica", "CH-SH", ops, ns, all(1)), []string{generation}}
	}
	// 1, 2 and 4 threads do .75, 1.5, 3 behind one, and .8, 1.6 and 3.2, or a third more, behind the other.
	near := outcomes(t, "A1-ch-bf3", behind("bf2", 3e6, 2e5), behind("bf3", 3.2e6, 1e5))[0]
	if near.Measured == nil || math.Abs(*near.Measured-2) > 0.001 || !strings.Contains(near.Which, "at 0.75 over 0.8 Mops") {
		t.Errorf("within 10 %%: %+v", near)
	}
	far := outcomes(t, "A1-ch-bf3", behind("bf2", 3e6, 2e5), behind("bf3", 4e6, 1e5))[0]
	if far.Verdict != NotMeasured || !strings.Contains(far.Why, "within 10 % of each other") {
		t.Errorf("a third apart: %+v", far)
	}
	// Twice the throughput of a thread: 2 and 4 threads there are 1 and 2 here.
	if twice := outcomes(t, "A1-ch-bf3", behind("bf2", 3e6, 2e5), behind("bf3", 6e6, 1e5))[0]; twice.Measured == nil || math.Abs(*twice.Measured-4) > 0.001 {
		t.Errorf("at half the threads: %+v", twice)
	}
}

// A share of hashing is one of the study's hash function, and says if it was not sampled.
func TestHashShareIsOfTheStudysHash(t *testing.T) {
	run := func(hash, by string) []Outcome {
		return outcomes(t, "A3-share", Run{"here", placed("herd", "CH-SH", 1e6, 1e5, func(p *results.Point) { p.Hash, p.ClientHashShareBy = hash, by }), nil})
	}
	host := func(list []Outcome) Outcome {
		i := slices.IndexFunc(list, func(o Outcome) bool {
			return strings.Contains(o.Says, "host client's CPU time that goes into hashing in HERD")
		})
		return list[i]
	}
	if o := host(run("xxhash64", "sampling")); o.Verdict != NotMeasured || !strings.Contains(o.Why, "city128") {
		t.Errorf("another hash: %s, %s", o.Verdict, o.Why)
	}
	if o := host(run("city128", "sampling")); o.Measured == nil || strings.Contains(o.Why, "estimate") {
		t.Errorf("sampled: %+v", o)
	}
	if o := host(run("city128", "estimate: operations times the calibrated time of one hash")); o.Measured == nil || !strings.Contains(o.Why, "3 of these points estimate") {
		t.Errorf("estimated: %+v", o)
	}
}

func TestWriteGolden(t *testing.T) {
	run := bf2(placed("mica", "CH-SH", 1.47e6, 1e5, all(1)), placed("mica", "CD-SH", 1e6, 2e5, all(1), func(p *results.Point) {
		p.Warnings = []string{"client-bound: …"}
	}), placed("herd", "CH-SH", 9e6, 1e5, all(1), func(p *results.Point) {
		p.Transport, p.Provider, p.Emulated, p.Hash = "rdma", "softroce", true, "city128"
	}))
	var b bytes.Buffer
	if err := Write(&b, []Run{run}, book(t).Evaluate([]Run{run})); err != nil {
		t.Fatal(err)
	}
	resultstest.Golden(t, "bf2.golden", b.Bytes())
	text, err := json.Marshal(book(t).Evaluate([]Run{run}))
	if err != nil || strings.Contains(string(text), "null") {
		t.Errorf("%v, %s", err, text)
	}
}

func TestGenerationsComeFromTheFolder(t *testing.T) {
	folder := runfoldertest.Create(t, nil,
		map[string]any{"node": "a", "kind": "host", "generation": "none of a DPU"},
		map[string]any{"node": "b", "kind": "dpu", "generation": "bf3"},
		map[string]any{"node": "c", "kind": "dpu", "profile": "bf3"})
	run, bad, err := OpenRun(folder)
	if err != nil || len(bad) > 0 || !slices.Equal(run.Generations, []string{"bf3"}) {
		t.Errorf("found %q, %v, %v", run.Generations, bad, err)
	}
}

func TestMistakesInTheBook(t *testing.T) {
	for text, want := range map[string]string{
		"findings: [{id: X, moon: 1}]":                                    "unknown field",
		"findings: [{id: X}]":                                             "X: want either claims or what it needs",
		"findings: [{id: X, needs: y, doubts: [z]}]":                      `found the doubt "z"`,
		"findings: [{id: X, claims: [{says: s, of: luck, cases: [{}]}]}]": `of: found "luck"`,
	} {
		if _, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v, want %q", text, err, want)
		}
	}
}
