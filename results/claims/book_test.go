package claims

import (
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

// book is the study's.
func book(t *testing.T) *Book { return books(t)[0] }

func books(t *testing.T) Books {
	t.Helper()
	return must.Get(Load())(t)
}

func TestEveryFindingOfTheStudyIsThere(t *testing.T) {
	var ids []string
	for _, f := range book(t).Findings {
		ids = append(ids, f.ID)
	}
	want := strings.Fields("N1 N2 N3 D1 D2 D3 D4 D5 A1-herd A1-herd-gen A1-cdh A1-mica A1-mica-bf2 A1-mica-bf3 " +
		"A1-bf2-sd A1-cdsh A1-ch-bf3 A2 A3-share A3-bw A3-lat A4-peak A4-sm3 A4-sm45 M1 M2")
	if !slices.Equal(ids, want) {
		t.Errorf("found %q, want %q", ids, want)
	}
}

func TestMistakesInTheBook(t *testing.T) {
	claim := func(text string) string { return "findings: [{id: X, claims: [{says: s, " + text + "}]}]" }
	for text, want := range map[string]string{
		"findings: [{id: X, moon: 1}]":                           "unknown field",
		"findings: [{id: X}]":                                    "X: found no claims",
		"findings: [{id: X, doubts: [z]}]":                       `the source's method: found "z"`,
		claim("of: peak"):                                        "not one of needs and cases",
		claim("needs: y, cases: [{study: 1}]"):                   "not one of needs and cases",
		claim("of: luck, cases: [{study: 1}]"):                   `of: found "luck"`,
		claim("of: peak, cases: [{study: 1, to: 2}]"):            "found the range from 1 to 2",
		claim("of: peak, quantity: lower, cases: [{study: 1}]"):  "found no over",
		claim("of: probe, figure: latency, cases: [{study: 1}]"): `found the figure "latency"`,
	} {
		_, err := parse([]byte(text))
		must.Fail(t, err, want)
	}
}

// curve is a store's curve of four repeats a load, by its throughput (operations a second) and mean
// latency (ns) at each load.
func curve(
	store, placement, submode string, share float64, servers int, ops, ns map[int]float64,
	edits ...func(*results.Point),
) (points []results.Point) {
	for threads, o := range ops {
		for repeat := range 4 {
			jitter := 1 + 0.0002*(float64(repeat)-1.5)
			points = append(points, resultstest.Point(append([]func(*results.Point){func(p *results.Point) {
				p.Store, p.Placement, p.Submode, p.GetRatio = store, placement, submode, share
				p.ServerThreads, p.ClientThreads, p.Repeat = servers, threads, repeat+1
				p.ThroughputOps, p.MeanNs = o*jitter, ns[threads]*jitter
				p.Hash, p.ClientHashShareBy = map[string]string{"mica": "city64", "herd": "city128"}[store], "sampling"
				p.ClientHashShare = hashShares[store+" "+placement[:2]]
			}}, edits...)...))
		}
	}
	return points
}

// hashShares are the study's, by store and client.
var hashShares = map[string]float64{
	"mica CH": 0.016, "mica CD": 0.0717, "herd CH": 0.2283, "herd CD": 0.32,
}

// line rises with client threads to a greatest figure.
func line(most float64) map[int]float64 { return map[int]float64{1: most / 4, 2: most / 2, 4: most} }

// flat is the same at every load.
func flat(figure float64) map[int]float64 { return map[int]float64{1: figure, 2: figure, 4: figure} }

// studyHERD has the figures of §4.1.1 for one generation and GET share.
func studyHERD(generation string, share float64) (points []results.Point) {
	const ops, ns = 10e6, 50e3
	slower := map[float64]float64{1: 2.6, 0.95: 2.9, 0.5: 3.1}[share]
	later := map[float64]float64{1: 3, 0.95: 1.77, 0.5: 1.5}[share]
	peak, servers := ops, 4
	switch generation {
	case "bf1":
		servers = 5
	case "bf3":
		peak *= 1 + map[float64]float64{1: 0.15, 0.95: 0.195, 0.5: 0.152}[share]
	}
	add := func(placement string, ops, ns float64) {
		points = append(points, curve("herd", placement, "off-path", share, servers, line(ops), line(ns))...)
	}
	add("CH-SH", peak, ns)
	add("CH-SD", peak/1.1, ns)
	add("CD-SH", peak/slower, ns*later)
	add("CD-SD", peak/slower, ns*later)
	if share == 1 {
		add("CDH-SH", peak*1.24, ns)
	}
	return points
}

// studyMICA has the figures of §4.1.2 for one generation and GET share.
func studyMICA(generation string, share float64) (points []results.Point) {
	const ops, ns = 5e6, 100e3
	servers := 4
	add := func(placement string, ops, ns map[int]float64) {
		points = append(points, curve("mica", placement, "off-path", share, servers, ops, ns)...)
	}
	switch generation {
	case "bf1":
		servers = 5
		add("CH-SH", line(ops), line(ns))
		add("CH-SD", line(ops/2), line(ns))
		add("CD-SH", line(ops/3), line(2.27*ns))
		add("CD-SD", line(ops/3), line(2.27*ns))
	case "bf2":
		add("CH-SH", line(ops), line(ns))
		add("CH-SD", flat(ops/2), line(ns))
		add("CD-SH", line(ops/1.47), line(1.5*ns))
		add("CD-SD", line(ops/1.47), line(1.5*ns))
	case "bf3":
		peak := ops * map[float64]float64{1: 2.3, 0.95: 2.2, 0.5: 2.5}[share]
		late := ns * map[float64]float64{1: 0.68, 0.95: 0.66, 0.5: 0.625}[share]
		atPeakOfBF2 := ns / map[float64]float64{1: 3, 0.95: 2, 0.5: 2}[share]
		add("CH-SD", line(peak), map[int]float64{1: 0.6 * atPeakOfBF2, 2: late / 2, 4: late})
		add("CH-SH", map[int]float64{1: ops, 2: 1.4 * ops, 4: peak / 1.3},
			map[int]float64{1: atPeakOfBF2, 2: late / 2 / 0.6, 4: late / 0.6})
		add("CD-SH", line(ops), line(2*ns))
		add("CD-SD", line(ops), line(2*ns))
	}
	return points
}

// studyOnPath has the figures of §4.2 for one generation and GET share. All 12 CPUs serve.
func studyOnPath(generation string, share float64) (points []results.Point) {
	// in Mops and µs
	peaks := map[string]float64{"sm1": 1.9, "sm2": 1.95, "sm3": 6.14 * 1.95, "sm4": 12 * 1.95, "off-path": 12 * 1.95}
	slow, fast := 2952.0, 100.0
	if generation == "bf3" {
		peaks = map[string]float64{"sm1": 2.1, "sm2": 2.45, "sm3": 9.8 * 2.45, "sm4": 16 * 2.1, "off-path": 16 * 2.1}
		slow, fast = 992, 88
	}
	peaks["sm5"] = peaks["sm4"]
	for submode, peak := range peaks {
		us := fast
		if submode == "sm1" || submode == "sm2" {
			us = slow
		}
		points = append(points, curve("mica", "CH-SH", submode, share, 12, line(peak*1e6), line(us*1e3))...)
	}
	return points
}

func studyRuns() (runs []Run) {
	for _, generation := range []string{"bf1", "bf2", "bf3"} {
		r := Run{Name: generation, Generations: []string{generation}}
		for _, share := range studyShares {
			r.Points = slices.Concat(r.Points, studyHERD(generation, share), studyMICA(generation, share))
			if generation != "bf1" {
				r.Points = append(r.Points, studyOnPath(generation, share)...)
			}
		}
		r.Probes = studyProbes(generation)
		runs = append(runs, r)
	}
	return runs
}

// TestStudyAgreesWithItself: runs with the study's own figures agree with every claim that a
// run can answer.
func TestStudyAgreesWithItself(t *testing.T) {
	agree := 0
	for _, o := range book(t).Evaluate(Evidence{Runs: studyRuns(), Hashes: studyHashes()}) {
		switch {
		case o.Verdict == Agrees:
			agree++
		case o.Study != nil:
			measured := "nothing"
			if o.Measured != nil {
				measured = o.figure(*o.Measured)
			}
			t.Errorf("%s, %s, %s: %s: study %s, found %s (%s; %s)", o.Finding, o.Says, o.About(), o.Verdict,
				o.Studied(), measured, o.Which, o.Why)
		}
	}
	if agree != 141 {
		t.Errorf("%d claims agree", agree)
	}
}
