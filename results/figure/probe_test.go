package figure

import (
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/load"
	"dpukv/results"
	"dpukv/results/probechart"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

// TestProbeFigures draws each kind's own figures beside those of stores.
func TestProbeFigures(t *testing.T) {
	run := runfoldertest.Create(t, append(resultstest.LocalPoints(), resultstest.StudyProbes()...),
		resultstest.StudyNodes()...)
	d := drawn(t, run, Options{Formats: []string{"csv"}, Metrics: metrics(t, "p50")})
	var names []string
	for _, path := range d.Paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".csv"))
	}
	want := "mica-get50-p50 mica-get95-p50 mica-get100-p50 mica-p50 memory-latency memory-loaded memory-kvs " +
		"memory-bandwidth network-bandwidth network-latency-p50 verbs-latency-p50 dma-latency-p50"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("figures\n%s, want\n%s", got, want)
	}
	text := string(read(t, filepath.Join(run.Dir(), "figures", "memory-bandwidth.csv")))
	must.Contain(t, text,
		"panel,line,threads,repeats,bytes_per_s_median,bytes_per_s_min,bytes_per_s_max,emulated\n",
		"copy,hostB,12,2,22300000000,21854000000,22746000000,0\n",
	)
}

// TestProbesAlone: a folder without stores has figures, too.
func TestProbesAlone(t *testing.T) {
	run := runfoldertest.Create(t, resultstest.StudyProbes(), resultstest.StudyNodes()...)
	if d := drawn(t, run, Options{Formats: []string{"svg"}}); len(d.Paths) != 8 {
		t.Errorf("paths %q", d.Paths)
	}
}

// studyNodes are the nodes of the probes, as a run folder has them.
func studyNodes(t *testing.T) probechart.Nodes {
	t.Helper()
	env, _, err := runfoldertest.Create(t, nil, resultstest.StudyNodes()...).Env()
	must.Do(t, err)
	return probechart.NewNodes(env)
}

func TestProbeGolden(t *testing.T) {
	nodes := studyNodes(t)
	column := Layout{Width: 85 * 72 / 25.4, Font: "serif"}
	for name, o := range map[string]Options{
		"fig3": {Probes: 3}, "fig4": {Probes: 4, SharedAxes: true}, "fig6": {Probes: 6, Layout: column},
		"memory-bandwidth": {}, "memory-loaded": {LogX: true},
	} {
		t.Run(name, func(t *testing.T) {
			figures := must.Get(o.probeFigures(resultstest.StudyProbes(), nodes))(t)
			for _, f := range figures {
				if f.name() == name {
					golden(t, f)
					return
				}
			}
			t.Errorf("no figure %s", name)
		})
	}
}

// TestProbeConditions: a figure counts emulated points and warnings, and says what all points share.
func TestProbeConditions(t *testing.T) {
	probes := append(resultstest.StudyProbes(), resultstest.StudyProbe("dma", "dpuB",
		"test=latency engine=cpu op=write completion=poll bytes=8 batch=1", nil,
		resultstest.Failed("no memory")))
	figures := must.Get((&Options{}).probeFigures(probes, probechart.Nodes{}))(t)
	said := map[string]string{}
	for _, f := range figures {
		said[f.name()] = strings.Join(f.conditions(), " · ")
	}
	for name, want := range map[string]string{
		"verbs-latency-p50": "emulated, not hardware: 48 of 48 points",
		"dma-latency-p50":   "6 of 6 points with warnings, 1 point failed and not drawn",
		"memory-latency":    "1 chain · 2 repeats for 1 s: medians, bars show the range",
		"network-bandwidth": "CH-SH, tcp · writes of 128 KiB",
	} {
		if !strings.Contains(said[name], want) {
			t.Errorf("%s lacks %q: %s", name, want, said[name])
		}
	}
}

func TestProbeStudyRefuses(t *testing.T) {
	for number, want := range map[int]string{
		3: "figure 3: probes: found no TCP bandwidth of the placement CH-SH, from client to server, allowed",
		4: "measure: [{verbs: {test: [latency], op: [send, read, write]",
		6: "figure 6: probes: found no memory latency",
	} {
		run := runfoldertest.Create(t, []results.Point{resultstest.LocalPoint()})
		_, err := Draw(run, Options{Probes: number})
		must.Fail(t, err, want)
	}
}

// TestHostCPUFigure: parts on a DPU add a figure of the CPU time of hosts.
func TestHostCPUFigure(t *testing.T) {
	run := runfoldertest.Create(t, resultstest.SplitPoints())
	d := drawn(t, run, Options{Formats: []string{"csv", "svg"}, Metrics: metrics(t, "p50")})
	if len(d.Paths) != 4 || !strings.HasSuffix(d.Paths[3], "mica-get95-host-cpu.csv") {
		t.Fatalf("found %q, want a figure of latency and one of host CPU time", d.Paths)
	}
	text := string(read(t, d.Paths[3]))
	must.Contain(t, text,
		"panel,line,throughput_ops,repeats,host_cpu_ns_per_op_median,", ",CH-ED-SH,", ",2,575,575,575,0\n")
}

// TestHitRateFigures draws hit rates over throughput and memory beside the latency.
func TestHitRateFigures(t *testing.T) {
	points := resultstest.LocalPoints()[:4]
	for i := range points {
		p := &points[i]
		p.OnMiss, p.MemoryBytes = load.AllowMisses, 64<<20<<(i%2)
		p.Hits, p.Misses = p.Gets*uint64(i+1)/8, p.Gets-p.Gets*uint64(i+1)/8
	}
	run := runfoldertest.Create(t, points)
	d := drawn(t, run, Options{Formats: []string{"png", "csv"}, Metrics: metrics(t, "p50")})
	if len(d.Paths) != 6 || !strings.HasSuffix(d.Paths[5], "mica-get100-hit-rate-memory.csv") ||
		!strings.HasSuffix(d.Paths[3], "mica-get100-hit-rate.csv") {
		t.Fatalf("found %q, want a figure of latency and two of hit rates", d.Paths)
	}
	text := string(read(t, d.Paths[5]))
	if !strings.Contains(text, ",memory_bytes,repeats,hit_rate_percent_median,") ||
		!strings.Contains(text, ",67108864,") {
		t.Errorf("found %s", text)
	}
}
