package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results"
	"dpukv/results/claims"
	"dpukv/results/runfolder"
)

// ofProbes plans a sweep of probes, run by the real binary.
func ofProbes(t *testing.T, sweep string) Options {
	t.Helper()
	o := realOptions(t, sweep, "")
	byProgram(t, &o)
	return o
}

func probesIn(t *testing.T, dir string) []results.Point {
	t.Helper()
	return validIn(t, dir, (*runfolder.Run).Probes)
}

// validIn returns points of a run folder, which all are valid and measured.
func validIn(
	t *testing.T, dir string, read func(*runfolder.Run) ([]results.Point, []runfolder.BadLine, error),
) []results.Point {
	t.Helper()
	run := must.Get(runfolder.Open(dir))(t)
	points, bad, err := read(run)
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
`, "PAGES", pages, 1))
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
	again := must.Get(NewPlan(o))(t)
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
		o := ofProbes(t, sweep+"duration: 100ms\nrepeats: 1\n")
		plan, err := NewPlan(o)
		if err == nil {
			_, err = plan.Run(t.Context())
		}
		must.Fail(t, err, want)
		if text, _ := os.ReadFile(filepath.Join(o.Dir, "points.jsonl")); len(text) > 0 {
			t.Errorf("%s: a point was measured: %s", sweep, text)
		}
	}
}

// machineExample is measured in make test-lab on made machines, quickly.
const machineExample = "../../examples/machine.yaml"

// TestMachineOnSubmodes measures the example on made machines, and through every on-path submode:
// with evidence of each way, and N1's order held against the study's.
func TestMachineOnSubmodes(t *testing.T) {
	needLab(t)
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("takes minutes of Open vSwitch and DPDK: make test-lab runs it")
	}
	for bed, c := range map[string]struct {
		only, set string
		points    int
	}{
		"netns": {"placement=CH-SH,placement=dpuB", "", 12 + 2 + 8 + 3 + 6},
		"netns-onpath": {
			"measure=network,measure=verbs", "submode=sm1,submode=sm2,submode=sm3,submode=sm4,submode=sm5", 5 * 9,
		},
	} {
		t.Run(bed, func(t *testing.T) {
			o := ofProbes(t, quickMachine(t))
			o.Only = c.only
			if o.Set = "duration=200ms,warmup=50ms"; c.set != "" {
				o.Set += "," + c.set
			}
			o.TestbedFile = "../../examples/" + bed + ".yaml"
			runAll(t, o)
			points := probesIn(t, o.Dir)
			if len(points) != c.points {
				t.Errorf("found %d points, want %d", len(points), c.points)
			}
			for i := range points {
				p := &points[i]
				if !p.Emulated {
					t.Errorf("%s: not emulated", p.ID)
				}
				if onPath := strings.HasPrefix(p.Submode, "sm"); onPath {
					proven(t, p)
				}
			}
			if bed == "netns-onpath" {
				judged(t, points)
			}
		})
	}
}

// quickMachine is the example with small arrays: it takes some seconds for each GiB on an emulated
// DPU, and STREAM's rule asks for three where the cache is large.
func quickMachine(t *testing.T) string {
	t.Helper()
	text := string(must.Get(os.ReadFile(machineExample))(t))
	quick := strings.Replace(text, "threads: [1]}", "threads: [1], array_bytes: [16MiB]}", 1)
	if quick == text {
		t.Fatal("the example has no STREAM on one thread")
	}
	return quick
}

// proven expects evidence that a point took its way.
func proven(t *testing.T, p *results.Point) {
	t.Helper()
	if p.Datapath == "" || len(p.Evidence) == 0 || p.CarriedShare < 0.5 || p.EvidenceNs == 0 {
		t.Errorf("%s: datapath %q, evidence %v, carried %v", p.ID, p.Datapath, p.Evidence, p.CarriedShare)
	}
}

// judged expects a claim of N1 that is held against the points, and marked as emulated.
func judged(t *testing.T, points []results.Point) {
	t.Helper()
	books := must.Get(claims.Load())(t)
	marked := false
	for _, c := range books.Evaluate(claims.Evidence{Runs: claims.NewRuns("run", points, nil)}) {
		if c.Finding == "N1" && c.Measured != nil {
			marked = marked || c.Substitute != ""
			t.Logf("%s: %s, measured %.3g, %s", c.Says, c.Verdict, *c.Measured, c.Why)
		}
	}
	if !marked {
		t.Error("no claim of N1 is held against the emulated datapaths")
	}
}
