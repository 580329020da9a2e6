package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/binary"
	"dpukv/placement/node"
	"dpukv/results"
	"dpukv/results/claims"
	"dpukv/results/runfolder"
)

// ofProbes plans a sweep of probes, run by the real binary.
func ofProbes(t *testing.T, sweep, bed string) Options {
	t.Helper()
	program := binary.Path(t)
	build, err := node.Digest(program)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.yaml")
	if err := os.WriteFile(file, []byte(sweep), 0o644); err != nil {
		t.Fatal(err)
	}
	return Options{
		SweepFile: file, TestbedFile: bed, Dir: filepath.Join(dir, "run"), Version: "devel",
		Stdout: new(node.TailBuffer), Stderr: new(node.TailBuffer), plain: true, build: build,
		command: []string{program, "node"}, keeper: []string{program, "lab"},
	}
}

func probesIn(t *testing.T, dir string) []results.Point {
	t.Helper()
	run, err := runfolder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	points, bad, err := run.Probes()
	if err != nil || bad != nil {
		t.Fatal(bad, err)
	}
	for i := range points {
		if p := &points[i]; p.Status != results.StatusOK || results.Validate(p) != nil {
			t.Errorf("%s: %s, %v", p.ID, p.Error, results.Validate(p))
		}
	}
	if differ, err := DifferFromRequest(run, points); err != nil || differ != nil {
		t.Errorf("the points are not those of the sweep: %v, %v", differ, err)
	}
	return points
}

// TestProbes measures this machine and the path between two of its processes, together with a store.
// A second run measures nothing.
func TestProbes(t *testing.T) {
	pages := fmt.Sprintf("%dk", os.Getpagesize()>>10)
	o := ofProbes(t, strings.Replace(`
measure: [{memory: {node: [server], test: [latency], block_bytes: [4KiB], pages: [PAGES]}}, {network: {test: [rr]}}, verbs, kvs]
keys: 1000
get_ratio: 1
client_threads: 1
duration: 100ms
warmup: 10ms
repeats: 1
`, "PAGES", pages, 1), "")
	sum := runAll(t, o)
	points := probesIn(t, o.Dir)
	if want := 1 + 1 + 6; len(points) != want || sum.Points != want+1 {
		t.Errorf("%d probes of %d points, want %d", len(points), sum.Points, want)
	}
	for i := range points {
		p := &points[i]
		pair := p.Measure != "memory"
		if p.ServerNode.Node != "server" || (len(p.Clients) == 1) != pair || p.Machine == "" || p.Store != "" {
			t.Errorf("%s: %+v", p.ID, p)
		}
		if _, told := p.Figures["server_cpus"]; told != pair {
			t.Errorf("%s: %v", p.ID, p.Figures)
		}
	}
	again, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := again.Run(t.Context()); err != nil || sum.Measured != 0 {
		t.Errorf("measured %d again, %v", sum.Measured, err)
	}
}

// TestRefusedProbes: what a node lacks ends the sweep before its first point.
func TestRefusedProbes(t *testing.T) {
	for sweep, want := range map[string]string{
		"measure: {memory: {block_bytes: [1TiB]}}\n":                  "measure: memory on node server: ",
		"measure: {memory: {pages: [huge], block_bytes: [1TiB]}}\n":   "vm.nr_hugepages=",
		"measure: {memory: {test: [copy], threads: [1024]}}\n":        "threads: found 1024",
		"measure: {memory: {node: [nobody]}}\n":                       "found node nobody, allowed: ",
		"measure: {network: {placement: [CDH-SH]}}\n":                 "CDH-SH runs the client on a dpu",
		"measure: {network: {submode: [sm1]}}\nsubmode: [off-path]\n": "submode sm1 with CH-SH",
	} {
		o := ofProbes(t, sweep+"duration: 100ms\nrepeats: 1\n", "")
		plan, err := NewPlan(o)
		if err == nil {
			_, err = plan.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", sweep, err, want)
		}
		if text, _ := os.ReadFile(filepath.Join(o.Dir, "points.jsonl")); len(text) > 0 {
			t.Errorf("%s: a point was measured: %s", sweep, text)
		}
	}
}

// onPath are probes through every on-path submode.
const onPath = `
measure: [{network: {test: [stream]}}, {network: {test: [rr], bytes: [1024]}}, {verbs: {op: [write], bytes: [64]}}]
submode: [sm1, sm2, sm3, sm4, sm5]
duration: 1s
warmup: 100ms
repeats: 1
`

// TestSubmodesCarryProbes: TCP and verbs cross each datapath, with evidence, and the order of the
// bandwidths is held against the study's N1.
func TestSubmodesCarryProbes(t *testing.T) {
	needLab(t)
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("takes a minute of Open vSwitch and DPDK: make test-lab runs it")
	}
	o := ofProbes(t, onPath, "../../examples/netns-onpath.yaml")
	runAll(t, o)
	points := probesIn(t, o.Dir)
	if len(points) != 15 {
		t.Errorf("found %d points", len(points))
	}
	for i := range points {
		p := &points[i]
		if p.Datapath == "" || len(p.Evidence) == 0 || p.CarriedShare < 0.5 || !p.Emulated || p.EvidenceNs == 0 {
			t.Errorf("%s: datapath %q, evidence %v, carried %v", p.ID, p.Datapath, p.Evidence, p.CarriedShare)
		}
	}
	book, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	judged := false
	for _, c := range book.Evaluate(claims.Evidence{Runs: claims.NewRuns("run", points, nil)}) {
		if c.Finding == "N1" && c.Measured != nil {
			judged = judged || c.Substitute != ""
			t.Logf("%s: %s, measured %.3g, %s", c.Says, c.Verdict, *c.Measured, c.Why)
		}
	}
	if !judged {
		t.Error("no claim of N1 is held against the emulated datapaths")
	}
}
