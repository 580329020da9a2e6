package columns

import (
	"strings"
	"testing"
	"time"

	"dpukv/results"
	"dpukv/results/resultstest"
)

func TestColumns(t *testing.T) {
	p := resultstest.Point(func(p *results.Point) {
		p.ServerNode = results.Node{Node: "b", Kind: "host"}
		p.Actual = resultstest.Latency(7000)
		p.ServerCPUs, p.Warnings = []int{1, 2}, nil
	})
	want := map[string]any{
		"store": "mica", "emulated": false, "keys": int64(1 << 20), "ops": uint64(7500000), "get_ratio": 0.95,
		"started_at": time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), "latency_p99_ns": int64(200_000),
		"actual_latency_p50_ns": int64(7000),
		"server_node_kind":      "host", "server_cpus": "[1,2]", "warnings": "", "clients": "",
	}
	seen := map[string]bool{}
	for _, c := range All() {
		if seen[c.Name] || c.Name == "" || strings.HasSuffix(c.Name, "_") {
			t.Errorf("the name %q is empty or there twice", c.Name)
		}
		seen[c.Name] = true
		if w, ok := want[c.Name]; ok && c.Value(&p) != w {
			t.Errorf("%s is %#v, want %#v", c.Name, c.Value(&p), w)
		}
	}
	for name := range want {
		if !seen[name] {
			t.Errorf("no column %s", name)
		}
	}
}
