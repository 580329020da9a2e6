package probechart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/resultstest"
)

func median50(t *testing.T) []*results.Metric {
	t.Helper()
	return must.Get(results.ParseLatencyMetrics("p50"))(t)
}

// outline lists the charts with their axes, panels and labels.
func outline(charts []Chart) string {
	var b strings.Builder
	for i := range charts {
		c := &charts[i]
		fmt.Fprintf(&b, "%s: %s over %s\n", c.Stem, c.Y.Label(), c.X.Label())
		for _, p := range c.Panels {
			var labels []string
			for _, l := range p.Lines {
				labels = append(labels, fmt.Sprintf("%s (%d)", l.Label, len(l.Marks)))
			}
			fmt.Fprintf(&b, "  %s[%s]\n", p.Heading, strings.Join(labels, "; "))
		}
	}
	return b.String()
}

// TestCharts: a chart for each kind and test, with a line for each place and each setting that
// varies.
func TestCharts(t *testing.T) {
	want := `memory-latency: latency (ns) over block size
  [dpuB, thp pages (3); dpuB, 4k pages (3); hostB, thp pages (3); hostB, 4k pages (3)]
memory-loaded: latency (ns) over bandwidth of the load (GB/s)
  [dpuB (3); hostB (3)]
memory-kvs: latency (ns) over block size
  [dpuB, batch 1 (1); dpuB, batch 64 (1); hostB, batch 1 (1); hostB, batch 64 (1)]
memory-bandwidth: bandwidth (GB/s) over threads
  copy[dpuB (2); hostB (2)]
  scale[dpuB (2); hostB (2)]
  add[dpuB (2); hostB (2)]
  triad[dpuB (2); hostB (2)]
network-bandwidth: bandwidth (Gb/s) over cores
  [SM1, up (3); SM1, down (3); SM3, up (3); SM3, down (3); SM5, up (3); SM5, down (3)]
network-latency-p50: median latency (µs) over message size
  [SM1 (3); SM3 (3); SM5 (3)]
verbs-latency-p50: median latency (µs) over message size
  send[CH-SH (emulated) (4); CH-SD (emulated) (4)]
  read[CH-SH (emulated) (4); CH-SD (emulated) (4)]
  write[CH-SH (emulated) (4); CH-SD (emulated) (4)]
dma-latency-p50: median latency (µs) over message size
  write[dpuB (3)]
`
	if got := outline(Charts(resultstest.StudyProbes(), median50(t))); got != want {
		t.Errorf("charts\n%s, want\n%s", got, want)
	}
}

// TestMarks: a mark is the median of its repeats with their range.
func TestMarks(t *testing.T) {
	var probes []results.Point
	for i, ns := range []float64{30, 10, 20} {
		probes = append(probes, resultstest.StudyProbe("memory", "a", "test=latency block_bytes=1024",
			map[string]float64{"latency_ns": ns},
			func(p *results.Point) { p.Repeat = i + 1 }))
	}
	charts := Charts(probes, median50(t))
	m := charts[0].Panels[0].Lines[0].Marks[0]
	if m.X.Median != 1024 || m.Y != (results.Spread{Min: 10, Median: 20, Max: 30}) || len(m.Repeats) != 3 {
		t.Errorf("%+v", m)
	}
}

// TestGenerations: runs of two cards, merged, stand side by side in the study's figures.
func TestGenerations(t *testing.T) {
	var probes []results.Point
	for source := range 2 {
		for _, p := range resultstest.StudyProbes() {
			p.Source, p.ID = source+1, fmt.Sprintf("%s~%d", p.ID, source)
			p.Machine = strings.Repeat(string("ab"[source]), 8)
			probes = append(probes, p)
		}
	}
	nodes := NewNodes([]json.RawMessage{
		json.RawMessage(`{"node": "dpuB", "kind": "dpu", "generation": "bf2", "source": 1}`),
		json.RawMessage(`{"node": "dpuB", "kind": "dpu", "generation": "bf3", "source": 2}`), json.RawMessage(`7`),
	})
	if got := len(Bandwidths(probes, nodes)); got != 2*len(Bandwidths(resultstest.StudyProbes(), nodes)) {
		t.Errorf("%d bandwidths: machines are taken for one", got)
	}
	want := map[int]string{
		3: "BF-2[SM1; SM3; SM5] BF-3[SM1; SM3; SM5]",
		4: "send, BF-2 below 8 KiB[CH-SH (emulated); CH-SD (emulated)]",
		6: "[dpuB BF-2 on aaaa (h);",
	}
	for _, number := range Studies {
		c := must.Get(Study(number, probes, nodes, median50(t)[0]))(t)
		var said []string
		for _, p := range c.Panels {
			var labels []string
			for _, l := range p.Lines {
				labels = append(labels, l.Label)
			}
			said = append(said, p.Heading+"["+strings.Join(labels, "; ")+"]")
		}
		if got := strings.Join(said, " "); !strings.HasPrefix(got, want[number]) {
			t.Errorf("figure %d: found %s, want %s", number, got, want[number])
		}
	}
	if _, err := Study(5, probes, nodes, median50(t)[0]); err == nil {
		t.Error("there is a figure 5")
	}
}

func TestSettingWords(t *testing.T) {
	for setting, want := range map[string]string{
		"block_bytes=65536": "blocks of 64 KiB", "bytes=100": "100 B", "cores=1": "1 core",
		"rate=0": "closed loop", "rate=5000": "5000 per second", "pages=4k": "4k pages", "hue=red": "hue red",
	} {
		name, value, _ := strings.Cut(setting, "=")
		if got := settingWords(name, value); got != want {
			t.Errorf("%s: found %q, want %q", setting, got, want)
		}
	}
	for list, want := range map[string]string{"16 9": "9 16", "triad copy": "copy triad", "b a": "a b"} {
		got := slices.SortedFunc(slices.Values(strings.Fields(list)), compareValues)
		if strings.Join(got, " ") != want {
			t.Errorf("order %q, want %s", got, want)
		}
	}
}

// TestRunsWithoutMachine: points of two runs whose machines are unknown are no repeats of each other.
func TestRunsWithoutMachine(t *testing.T) {
	var probes []results.Point
	for source := 1; source <= 2; source++ {
		probes = append(probes, resultstest.StudyProbe("memory", "a", "test=latency block_bytes=1024",
			map[string]float64{"latency_ns": 1}, func(p *results.Point) { p.Source = source }))
	}
	want := "memory-latency: latency (ns) over block size\n  [run 1 (1); run 2 (1)]\n"
	if got := outline(Charts(probes, median50(t))); got != want {
		t.Errorf("charts\n%s, want\n%s", got, want)
	}
}
