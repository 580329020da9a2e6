package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpukv/results"
	"dpukv/results/resultstest"
)

// streams are repeats of iperf3's bandwidth in a submode, from 1 % below to 2 % above a figure.
func streams(submode string, bytesPerS float64, edits ...func(*results.Point)) (list []results.Point) {
	for repeat, factor := range []float64{0.99, 1, 1.01, 1.02} {
		p := resultstest.StudyProbe("network", "CH-SH", "test=stream cores=1 direction=up",
			map[string]float64{"bytes_per_s": bytesPerS * factor}, func(p *results.Point) {
				p.Submode, p.Repeat = submode, repeat+1
			})
		for _, edit := range edits {
			edit(&p)
		}
		list = append(list, p)
	}
	return list
}

func probesOn(generation string, lists ...[]results.Point) Run {
	r := Run{Name: "run", Probes: slices.Concat(lists...)}
	if generation != "" {
		r.Generations = []string{generation}
	}
	return r
}

// TestN1 holds bandwidths against the study's. Emulated ones only have an order.
func TestN1(t *testing.T) {
	emulated := func(p *results.Point) {
		p.Emulated, p.EmulatedTestbed = true, "namespaces"
		p.Warnings = results.ReadWarnings("what forwards shares CPU 1 with server or client")
	}
	shared := func(p *results.Point) {
		p.Warnings = results.ReadWarnings("what forwards shares CPU 1 with server or client")
	}
	const order = "SM1 and SM2 have less of it than SM4-5"
	for name, c := range map[string]struct {
		run  Run
		want map[string]string // verdict by the begin of what a claim says, or its end
	}{
		"as the study's BF-3": {
			probesOn("bf3", streams("sm1", 5e9), streams("sm2", 5e9), streams("sm3", 9e9), streams("sm4", 10e9),
				streams("sm5", 10e9)),
			map[string]string{order: "agrees", "by up to": "agrees", "over that in SM2": "agrees"},
		},
		"the Arms faster than the eSwitch": {
			probesOn("", streams("sm1", 12e9), streams("sm2", 5e9), streams("sm4", 10e9), streams("sm5", 10e9)),
			map[string]string{order: "disagrees"},
		},
		"emulated": {
			probesOn("", streams("sm1", 5e9, emulated), streams("sm2", 4e9, emulated),
				streams("sm4", 10e9, emulated), streams("sm5", 10e9, emulated)),
			map[string]string{order: "agrees", "by up to": "not measured"},
		},
		"forwarders that share CPUs on a real testbed": {
			probesOn("", streams("sm1", 5e9, shared), streams("sm2", 4e9), streams("sm4", 10e9), streams("sm5", 10e9)),
			map[string]string{order: "inconclusive"},
		},
		"SM2 is missing": {
			probesOn("", streams("sm1", 5e9), streams("sm4", 10e9), streams("sm5", 10e9)),
			map[string]string{order: "inconclusive"},
		},
		"other settings": {
			probesOn("", streams("sm1", 5e9), streams("sm2", 5e9),
				streams("sm4", 10e9, func(p *results.Point) { p.Settings["cores"] = "4" }),
				streams("sm5", 10e9, func(p *results.Point) { p.Settings["cores"] = "4" })),
			map[string]string{order: "not measured"},
		},
	} {
		for _, o := range outcomes(t, "N1", c.run) {
			for says, want := range c.want {
				if strings.HasSuffix(o.Says, says) && o.isOf(c.run.Generations) && string(o.Verdict) != want {
					t.Errorf("%s: %q is %s (%s), want %s; measured %s", name, o.Says, o.Verdict, o.Why, want,
						valueText(o.Measured))
				}
			}
			if o.Measured != nil && (o.Substitute != "") != (name == "emulated") {
				t.Errorf("%s: the substitute is %q", name, o.Substitute)
			}
		}
	}
}

// isOf reports whether an outcome is of the generations, or of none in particular.
func (o *Outcome) isOf(generations []string) bool {
	return o.Generations == nil || slices.Equal(o.Generations, generations)
}

func valueText(x *float64) string {
	if x == nil {
		return "nothing"
	}
	return fmt.Sprint(*x)
}

// stored are repeats of a memory probe on a node of a kind.
func stored(kind, settings, figure string, x float64) (list []results.Point) {
	for repeat := range 4 {
		list = append(list, resultstest.StudyProbe("memory", kind+"B", settings, map[string]float64{figure: x},
			func(p *results.Point) {
				p.Repeat, p.ServerNode = repeat+1, results.Node{Node: kind + "B", Kind: kind}
			}))
	}
	return list
}

// TestM1M2 compares the memory of a DPU with that of its host, and with the study's figures.
func TestM1M2(t *testing.T) {
	const latency = "test=latency block_bytes=67108864 chains=1 pages="
	run := probesOn("bf2",
		stored("host", latency+"thp", "beyond_l1_ns", 50), stored("dpu", latency+"thp", "beyond_l1_ns", 220),
		stored("dpu", latency+"4k", "beyond_l1_ns", 246),
		stored("dpu", "test=copy code=study threads=1", "bytes_per_s", 2.1e9),
		stored("host", "test=copy code=vector threads=1", "bytes_per_s", 20e9),
	)
	list := append(outcomes(t, "M1", run), outcomes(t, "M2", run)...)
	for says, want := range map[string]Verdict{
		"a DPU over its host":                                 Agrees,
		"without huge pages over that with them":              Agrees,
		"STREAM Copy, built without -O, one core of the DPU":  Agrees,
		"STREAM Copy, built without -O, one core of the host": NotMeasured, // only optimised code was measured
		"for 1 MB, BF-3 over BF-2":                            NotMeasured,
	} {
		found := false
		for _, o := range list {
			if strings.Contains(o.Says, says) && o.isOf([]string{"bf2"}) {
				found = true
				if o.Verdict != want {
					t.Errorf("%q is %s (%s), want %s, measured %s", o.Says, o.Verdict, o.Why, want,
						valueText(o.Measured))
				}
				if o.Verdict == Agrees && len(o.Warnings) == 0 {
					t.Errorf("%q has no warnings", o.Says)
				}
			}
		}
		if !found {
			t.Errorf("no outcome says %q", says)
		}
	}
}

// TestRunOfStoresAndProbes: a folder's points are sorted once.
func TestRunOfStoresAndProbes(t *testing.T) {
	runs := NewRuns("run", append(streams("sm1", 1), resultstest.LocalPoint()), nil)
	if len(runs) != 1 || len(runs[0].Probes) != 4 || len(runs[0].Points) != 1 {
		t.Errorf("got %+v", runs)
	}
}
