package run

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/emulate"
	"dpukv/placement/machines"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// needLab skips a test where no machines can be made.
func needLab(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: limits of CPU time and links that are cut")
	}
}

// inLab plans a sweep on four emulated machines, run by the real binary.
func inLab(t *testing.T, sweep string, observe func(event string, pt *sweep.Point, m *machines.Machines)) Options {
	t.Helper()
	needLab(t)
	o := realOptions(t, sweep, testbeds.FourMachines)
	byProgram(t, &o)
	o.observe = observe
	return o
}

// byProgram has the real binary run the nodes and hold the machines.
func byProgram(t *testing.T, o *Options) {
	t.Helper()
	program := programs.DPUKV(t)
	o.Version, o.build = "devel", must.Get(node.Digest(program))(t)
	o.command, o.keeper = []string{program, "node"}, []string{program, "lab"}
}

// Each of the longerPoints must succeed at the first try, also on a busy machine.
const shortPoints = "store: [mica, herd]\nget_ratio: 0.5\nmode: store\nkeys: 10000\nclient_threads: 1\nduration: " +
	"300ms\nwarmup: 100ms\nrepeats: 1\n"

var longerPoints = strings.Replace(shortPoints, "300ms", "1s", 1)

// runAll runs a sweep until every point is measured. On a busy machine a point may get too little
// CPU time for any answer, and fails. The sweep then resumes.
func runAll(t *testing.T, o Options) Summary {
	t.Helper()
	const tries = 8
	for try := 1; ; try++ {
		plan := must.Get(NewPlan(o))(t)
		sum, err := plan.Run(t.Context())
		switch {
		case err == nil:
			return sum
		case try == tries:
			t.Fatalf("%v%s", err, o.Stderr.(*node.TailBuffer).Lines())
		}
		t.Logf("try %d: %v: %v", try, err, sum.Failed)
	}
}

// TestPlacementsInALab measures each placement with both stores over four machines. It reads every
// interface's counters to see which machines communicated.
func TestPlacementsInALab(t *testing.T) {
	before := map[string]emulate.Counters{}
	moved := map[string]map[string]uint64{} // bytes, by point and interface
	o := inLab(t, shortPoints+"placement: [CH-SH, CD-SH, CDH-SH, CH-SD, CD-SD, L-CD-SH, HOSTS-SD]\n",
		func(event string, pt *sweep.Point, m *machines.Machines) {
			now, err := m.Lab.AllCounters()
			if err != nil {
				t.Error(err)
			}
			switch event {
			case "begin":
				before = now
			case "end":
				of := map[string]uint64{}
				for name, c := range now {
					of[name] = c.TxBytes + c.RxBytes - before[name].TxBytes - before[name].RxBytes
				}
				moved[pt.ID] = of
			}
		})
	if sum := runAll(t, o); sum.Points != 14 {
		t.Errorf("%d points, want 7 placements of 2 stores", sum.Points)
	}
	run := must.Get(runfolder.Open(o.Dir))(t)
	bed := parseTestbed(t, testbeds.FourMachines)
	for _, p := range readPoints(t, o.Dir) {
		if p.Status == results.StatusOK {
			checkLabPoint(t, run, &p, &bed, moved[p.ID])
		}
	}
}

func checkLabPoint(t *testing.T, run *runfolder.Run, p *results.Point, bed *testbed.Testbed, moved map[string]uint64) {
	t.Helper()
	if err := results.Validate(p); err != nil {
		t.Error(err)
	}
	if !p.Emulated || !strings.Contains(p.EmulatedTestbed, "dpuA as bf2") {
		t.Errorf("%s: emulated %v, %q", p.ID, p.Emulated, p.EmulatedTestbed)
	}
	if p.Store == "herd" && p.Provider != "softroce" {
		t.Errorf("%s: HERD crossed machines over %q", p.ID, p.Provider)
	}
	c := must.Get(bed.Assign(p.Placement))(t)
	checkShares(t, run, p, &c)
	checkWay(t, p, &c, moved)
}

// checkShares: the clients' shares add up to the whole, in counts and histograms.
func checkShares(t *testing.T, run *runfolder.Run, p *results.Point, c *testbed.Assignment) {
	t.Helper()
	var ops uint64
	var nodes []string
	for _, s := range p.Clients {
		nodes = append(nodes, s.Node.Node)
		if ops += s.Ops; s.Ops == 0 || s.P50Ns == 0 || s.CPUShare == 0 || len(s.CPUs) == 0 {
			t.Errorf("%s: the share of %s is incomplete: %+v", p.ID, s.Node.Node, s)
		}
	}
	if text := p.Warnings.String(); strings.Contains(text, "the clients differ in") {
		t.Errorf("%s: a field that all clients must have alike: %s", p.ID, text)
	}
	var want []string
	for _, n := range c.Clients {
		want = append(want, n.Name)
	}
	if ops != p.Ops || !slices.Equal(nodes, want) || p.ServerNode.Node != c.Server.Name {
		t.Errorf("%s: %d of %d ops by %v with server %+v, want all by %v with server %s", p.ID, ops, p.Ops, nodes,
			p.ServerNode, want, c.Server.Name)
	}
	intervals, err := run.Histograms(p.ID)
	if err != nil {
		t.Error(err)
		return
	}
	for _, tag := range []string{results.TagIntended, results.TagActual} {
		want := p.Ops + p.UnansweredOps
		if h, err := results.MergeTag(intervals, tag); err != nil || uint64(h.TotalCount()) != want {
			t.Errorf("%s: %s histograms hold %d operations, the point %d (%v)", p.ID, tag, h.TotalCount(), want, err)
		}
	}
}

// checkWay: only the machines of the placement and the cables between them carried the load.
func checkWay(t *testing.T, p *results.Point, c *testbed.Assignment, moved map[string]uint64) {
	t.Helper()
	// requests, payload only
	var load uint64
	if p.OpsPerFrame > 0 { // 0: a starved client sent all its batches before the measurement period
		load = uint64(float64(p.Ops) / p.OpsPerFrame * p.BytesPerFrame)
	}
	// before them each client asked for every key
	verify := uint64(p.Keys * p.KeyBytes)
	// bytes: neighbour discovery and the like
	const stray = 20_000
	// as in hostA, dpuB
	otherSide := func(node string) bool { return node[len(node)-1:] != c.Server.Name[len(c.Server.Name)-1:] }
	want := map[string]uint64{
		"hostA/eth0": 0, "dpuA/eth0": 0, "hostB/eth0": 0, "dpuB/eth0": 0, "card-hostA/wire": 0,
		"card-hostB/wire": 0,
	}
	for _, s := range p.Clients {
		share := verify + load*s.Ops/p.Ops
		want[s.Node.Node+"/eth0"] = share
		if otherSide(s.Node.Node) {
			want["card-hostA/wire"] += share
			want["card-hostB/wire"] += share
		}
	}
	want[c.Server.Name+"/eth0"] = verify + load
	for name, least := range want {
		got, there := moved[name]
		switch {
		case !there:
			t.Errorf("%s: no counters of %s, only %v", p.ID, name, moved)
		case least > 0 && got < least:
			t.Errorf("%s: %d bytes at %s, want at least the %d of its requests", p.ID, got, name, least)
		case least == 0 && got > stray:
			t.Errorf("%s: %d bytes at %s, which has no part in %s", p.ID, got, name, p.Placement)
		}
	}
}

// TestNodeCutOff: one machine's link goes down in the middle of a point. Only that point fails, and
// its error names the machine. The sweep resumes with it.
func TestNodeCutOff(t *testing.T) {
	var cut string
	o := inLab(t, strings.Replace(longerPoints, "[mica, herd]", "mica", 1)+"placement: [CH-SH, CDH-SH, CH-SD]\n",
		func(event string, pt *sweep.Point, m *machines.Machines) {
			var err error
			switch {
			case event == "go" && pt.Placement == "CDH-SH" && cut == "":
				cut = pt.ID
				err = m.Lab.CutOff("dpuA")
			case event == "end" && pt.ID == cut:
				err = m.Lab.Restore("dpuA")
			}
			if err != nil {
				t.Error(err)
			}
		})
	plan := must.Get(NewPlan(o))(t)
	begun := time.Now()
	sum, err := plan.Run(t.Context())
	if err == nil || sum.Measured != 2 || len(sum.Failed) != 1 || sum.Failed[0].ID != cut ||
		!strings.Contains(sum.Failed[0].Reason, "node dpuA: ") {
		t.Errorf("got %+v, %v, want that %s failed with the name dpuA", sum, err, cut)
	}
	t.Logf("%s in %v", sum.Failed[0].Reason, time.Since(begun))
	if sum := runAll(t, o); sum.Before != 2 || sum.Measured != 1 {
		t.Errorf("resumed: %+v", sum)
	}
}

// TestInterruptedLab: a sweep that is interrupted in the middle of a point removes its machines.
func TestInterruptedLab(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var lab *emulate.Lab
	o := inLab(t, shortPoints+"placement: [CH-SH]\n", func(event string, _ *sweep.Point, m *machines.Machines) {
		if lab = m.Lab; event == "go" {
			cancel()
		}
	})
	plan := must.Get(NewPlan(o))(t)
	if _, err := plan.Run(ctx); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	select {
	case <-lab.Done():
	default:
		t.Error("the machines are still there")
	}
}

// TestKeeperKilled: the machines vanish with the process that holds them. The current point fails.
// The sweep ends, and its error tells how to continue. Nothing hangs.
func TestKeeperKilled(t *testing.T) {
	killed := ""
	o := inLab(t, strings.Replace(shortPoints, "[mica, herd]", "mica", 1)+"placement: [CH-SH, CD-SH]\n", nil)
	o.observe = func(event string, pt *sweep.Point, _ *machines.Machines) {
		if event != "go" || killed != "" {
			return
		}
		killed = pt.ID
		for _, pid := range processesOf(o.command[0]) {
			if args, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(args), "\x00lab\x00") {
				n, _ := strconv.Atoi(pid)
				if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
		}
	}
	plan := must.Get(NewPlan(o))(t)
	sum, err := plan.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the emulated machines are gone") ||
		!strings.Contains(err.Error(), "dpukv sweep --resume --out "+o.Dir) {
		t.Errorf("got %+v, %v", sum, err)
	}
	if len(sum.Failed) != 1 || sum.Failed[0].ID != killed || sum.Measured != 0 {
		t.Errorf("got %+v, want that only %s failed", sum, killed)
	}
	if len(sum.Failed) == 1 &&
		!strings.HasPrefix(sum.Failed[0].Reason, "the emulated machines ended in the middle of it") {
		t.Errorf("the reason begins with what is only the effect: %s", sum.Failed[0].Reason)
	}
	o.observe = nil
	if sum := runAll(t, o); sum.Measured+sum.Before != 2 {
		t.Errorf("with new machines: %+v", sum)
	}
}
