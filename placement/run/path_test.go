package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/placement/emulate"
	"dpukv/placement/launch"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/step"
	"dpukv/placement/sweep"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// TestWarningsOfADatapath: warnings name a substitute, a datapath that the profile does not slow
// down, and the CPU that the forwarder uses.
func TestWarningsOfADatapath(t *testing.T) {
	const standsIn, notSlowed, shared = "ovs-netdev stands in for", "which its profile bf2 does not slow down",
		"what forwards shares CPU 1 with server or client"
	for name, c := range map[string]struct {
		submode, datapath, profile string
		cpus                       []int
		want                       []string
	}{
		"in user space":                {submode.SM1, "ovs-netdev", "bf2", []int{0}, []string{standsIn}},
		"in user space, on their CPU":  {submode.SM1, "ovs-netdev", "bf2", []int{1}, []string{standsIn, shared}},
		"in the kernel":                {submode.SM1, "ovs-system", "bf2", []int{1}, []string{notSlowed}},
		"in the kernel, as it is":      {submode.SM1, "ovs-system", emulate.NoProfile, []int{1}, nil},
		"the submode's own, elsewhere": {submode.SM3, "testpmd", "bf2", []int{0}, nil},
	} {
		dpu := &testbed.Node{Node: launch.Node{Name: "d", Via: launch.Netns}, Kind: testbed.KindDPU, Profile: c.profile}
		host := &testbed.Node{
			Node: launch.Node{Name: "h", Via: launch.Netns}, Kind: testbed.KindHost,
			Profile: emulate.NoProfile,
		}
		p := &path{dpu: dpu, lease: adopted(t, c.submode, c.datapath, c.cpus)}
		e := &pointProcesses{server: &member{end: end{node: host, cpus: []int{1}}}}
		got := p.warnings(e)
		for i := range max(len(got), len(c.want)) {
			if len(got) != len(c.want) || !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: found %q, want %q", name, got, c.want)
				break
			}
		}
	}
}

// adopted returns a lease of a datapath that a node reports as applied.
func adopted(t *testing.T, name, datapath string, cpus []int) *submode.Lease {
	t.Helper()
	s, err := submode.New(submode.Config{Submode: name, Target: submode.Linux, Datapath: datapath, CPUs: cpus})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Adopt(t.Context(), step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
		switch argv[0] {
		case "readlink":
			return "net:[4026531840]", nil
		case "ip":
			return `[{"ifname": "lo", "altnames": ["dpukv-0123456789abcdef"]}]`, nil
		}
		return fmt.Sprintf(`{"Submode": %q, "Datapath": %q, "Ports": {"Wire": "p0", "Host": "pf0hpf"}}`, name,
			datapath), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestSubmodesInASweep runs a sweep that sets up datapaths between emulated machines, proves them,
// and leaves nothing. Package submode tests the datapaths themselves.
func TestSubmodesInASweep(t *testing.T) {
	const bed = `
nodes:
  hostA: {kind: host, via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: none}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: none, datapath: {sm4: tc-u32, sm5: tc-u32}}
client_side: [hostA, dpuA]
server_side: [hostB, dpuB]
`
	const file = `
submode: [off-path, direct, sm4, sm5]
get_ratio: 0.5
keys: 1000
client_threads: 1
duration: 300ms
warmup: 50ms
repeats: 1
`
	o := inLab(t, file, nil)
	sum, err := runOnPath(t, o, bed)
	if err != nil || sum.Measured != 4 {
		t.Fatal(sum, err)
	}
	for _, p := range readPoints(t, o.Dir) {
		want := map[string]string{"direct": "cable", "sm4": "tc-u32", "sm5": "tc-u32"}[p.Submode]
		if p.Datapath != want || (p.Substitute != "") != submode.OnPath(p.Submode) ||
			(len(p.Evidence) == 0) != (p.Submode == "off-path") {
			t.Errorf("%s: got %q, substitute %q, evidence %v, want %q", p.Submode, p.Datapath, p.Substitute, p.Evidence,
				want)
		}
		if onPath := submode.OnPath(p.Submode); len(p.EvidenceCounters) > 0 != onPath ||
			onPath && p.EvidenceCounters["p0"] != "ip -s link" {
			t.Errorf("%s: found the counters %v", p.Submode, p.EvidenceCounters)
		}
		window := int64(350 * time.Millisecond) // with the warm-up
		if (p.EvidenceNs != 0) != (p.Submode != "off-path") || p.EvidenceNs != 0 &&
			(p.EvidenceNs < window || p.EvidenceNs > 20*window) {
			t.Errorf("%s: evidence of %v, want a little more than %v, and none off-path", p.Submode,
				time.Duration(p.EvidenceNs), time.Duration(window))
		}
		if warned := strings.Contains(strings.Join(p.Warnings, "\n"),
			"stands in for the eSwitch"); warned != submode.OnPath(p.Submode) {
			t.Errorf("%s: warnings: %q", p.Submode, p.Warnings)
		}
	}
	if left, _ := filepath.Glob("/run/dpukv/submode/*/about"); len(left) > 0 {
		for _, file := range left {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), submode.Owner()) {
				t.Errorf("left behind: %s", file)
			}
		}
	}
}

// TestSubmodesBypassed: once the load crosses the measured cable, a second cable between the hosts
// takes it over. Every such point fails.
func TestSubmodesBypassed(t *testing.T) {
	const bed = `
nodes:
  hostA: {kind: host, via: netns}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: none, datapath: {sm4: tc-u32}}
client_side: [hostA]
server_side: [hostB, dpuB]
`
	const file = `
submode: [direct, sm4]
store: [mica, herd]
get_ratio: 0.5
keys: 1000
client_threads: 1
duration: 1s
warmup: 500ms
repeats: 1
`
	o := inLab(t, file, func(event string, _ *sweep.Point, m *machines.Machines) {
		switch event {
		case "go":
			bypass(t, m)
		case "end":
			onMachine(t, m, "hostB", "ip", "link", "del", "by1")
		}
	})
	sum, err := runOnPath(t, o, bed)
	if err == nil || len(sum.Failed) != 4 {
		t.Errorf("found %d points measured, %v failed: %v", sum.Measured, sum.Failed, err)
	}
	for _, p := range readPoints(t, o.Dir) {
		const look = "on hostA: ip route get 198.18.0."
		for _, want := range []string{submode.ErrAnotherWay.Error(), look} {
			if !strings.Contains(p.Error, want) {
				t.Errorf("%s %s: found %q, want %q", p.Submode, p.Store, p.Error, want)
			}
		}
		if len(p.Crossings) == 0 || p.CarriedShare > 0.9 {
			t.Errorf("%s %s: found a share of %v, %+v",
				p.Submode, p.Store, p.CarriedShare, p.Crossings)
		}
		t.Log(p.Error)
	}
}

// bypass joins the hosts by another cable, once packets cross the first one.
func bypass(t *testing.T, m *machines.Machines) {
	t.Helper()
	crossed := func() uint64 {
		c, err := m.Lab.Counters("hostB")
		if err != nil {
			t.Error(err)
		}
		return c.RxPackets
	}
	begun, until := crossed(), time.Now().Add(time.Minute)
	for crossed() < begun+50 && time.Now().Before(until) {
		time.Sleep(time.Millisecond)
	}
	far, err := m.Lab.Namespace("hostB")
	if err != nil {
		t.Error(err)
	}
	address := func(name string) string { return m.Lab.Address(name) + "/32" }
	add := strings.Fields("hostA ip link add name by0 type veth peer name by1 netns " + far)
	for _, c := range [][]string{
		add,
		{"hostB", "ip", "link", "set", "by1", "up"},
		{"hostA", "ip", "link", "set", "by0", "up"},
		{"hostB", "ip", "route", "add", address("hostA"), "dev", "by1"},
		{"hostA", "ip", "route", "add", address("hostB"), "dev", "by0"},
	} {
		onMachine(t, m, c[0], c[1:]...)
	}
}

func onMachine(t *testing.T, m *machines.Machines, name string, argv ...string) {
	t.Helper()
	here, err := m.Lab.Argv(name, argv)
	if err == nil {
		err = exec.Command(here[0], here[1:]...).Run()
	}
	if err != nil {
		t.Errorf("on %s, %v: %v", name, argv, err)
	}
}

// runOnPath runs a sweep between the machines of a testbed. A datapath that is not installed here
// skips the test, unless SUBMODE_REQUIRE names it.
func runOnPath(t *testing.T, o Options, bed string) (Summary, error) {
	t.Helper()
	if err := os.WriteFile(o.TestbedFile, []byte(bed), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := plan.Run(t.Context())
	for _, f := range sum.Failed {
		if !strings.Contains(f.Reason, submode.ErrMissing.Error()) {
			continue
		}
		if wanted := requiredOf(plan, f.ID, os.Getenv("SUBMODE_REQUIRE")); len(wanted) > 0 {
			t.Fatalf("%s, of which SUBMODE_REQUIRE wants %v: %s", f.ID, wanted, f.Reason)
		}
		t.Skip(f.Reason)
	}
	return sum, err
}

// requiredOf returns the required ones among the datapaths that a point may have.
func requiredOf(plan *Plan, id, required string) []string {
	pt := &plan.points[slices.IndexFunc(plan.points, func(pt sweep.Point) bool { return pt.ID == id })]
	dpu := plan.testbed.DPUOf("hostB")
	may := submode.ByDefault(dpu.Target(), pt.Submode, sweep.WorkOnPath(pt.Filter))
	if chosen := dpu.Datapath.Chosen[pt.Submode]; chosen != "" {
		may = []string{chosen}
	}
	return slices.DeleteFunc(may, func(name string) bool { return !slices.Contains(strings.Fields(required), name) })
}

// TestSubmodesThatCannotBeHad: impossible submodes are refused before anything starts.
func TestSubmodesThatCannotBeHad(t *testing.T) {
	const machines = `
nodes:
  hostA: {kind: host, via: netns}
  dpuA: {kind: dpu, of: hostA, via: netns, profile: none}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: none}
client_side: [hostA, dpuA]
server_side: [hostB, dpuB]
`
	for file, want := range map[string]string{
		"submode: sm1\nplacement: CH-SD": "found the server on dpuB, allowed: on a host",
		"submode: sm1\nplacement: L-CD-SH": "found a client on dpuB, allowed: on a machine " +
			"that the way to hostB starts from",
		"submode: [sm1, sm3]\nstore: herd\nfilter: count-opcode": "neither an OpenFlow rule nor flower",
		"submode: sm3\nstore: herd\nfilter: count-opcode":        "no memory to count in",
		"submode: sm4\nfilter: count-opcode": "found filter count-opcode with store mica, " +
			"allowed: with herd",
		"submode: sm1\nstore: redis\nfilter: drop-key-hash:1": "found filter drop-key-hash:1 with store redis, " +
			"allowed: with herd",
		"submode: off-path\nfilter: drop-client:192.0.2.1": "there is no DPU on the path",
		"submode: sm1\nfilter: count-opcode:get": "filter: found \"count-opcode:get\", allowed: none, " +
			"drop-client:ADDRESS",
		"submode: direct\nplacement: CD-SH": "found a client on dpuA",
	} {
		s, err := sweep.Parse("s.yaml", []byte(file+"\n"))
		if err == nil {
			bed := parseTestbed(t, machines)
			err = check(&s, &bed, []int{0, 1})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", file, err, want)
		}
	}
}

const onPathBed = `
nodes:
  hostA: {kind: host, via: netns}
  hostB: {kind: host, via: netns}
  dpuB: {kind: dpu, of: hostB, via: netns, profile: none, datapath: {sm1: ovs-netdev, sm4: tcx, sm5: tcx}}
client_side: hostA
server_side: hostB
`

// onPathPoints runs a sweep with a server behind an on-path DPU.
func onPathPoints(t *testing.T, sweep string) ([]results.Point, Summary) {
	t.Helper()
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("it starts Open vSwitch and DPDK, which poll: make test-lab runs it")
	}
	o := inLab(t, "get_ratio: 0.5\nmode: store\nkeys: 2000\nclient_threads: 1\nduration: 500ms\nwarmup: "+
		"100ms\nrepeats: 1\n"+sweep, nil)
	sum, err := runOnPath(t, o, onPathBed)
	if err != nil && len(sum.Failed) == 0 {
		t.Fatal(err)
	}
	return readPoints(t, o.Dir), sum
}

// TestSubmodesWithHERD: software RoCE packets pass every submode, with proof.
func TestSubmodesWithHERD(t *testing.T) {
	points, sum := onPathPoints(t, "store: herd\nsubmode: [direct, sm1, sm2, sm3, sm4, sm5]\n")
	if len(points) != 6 {
		t.Errorf("%d points, %v", len(points), sum.Failed)
	}
	for _, p := range points {
		if p.Status != results.StatusOK || p.Ops == 0 || p.Errors > 0 || submode.OnPath(p.Submode) &&
			p.CarriedShare < .9 {
			t.Errorf("%s: %s %s, %d operations, %.2f carried, %v", p.Submode, p.Status, p.Error, p.Ops, p.CarriedShare,
				p.Evidence)
		}
		t.Logf("%s, %s: %.3f Mops, %d sent again, %v", p.Submode, p.Datapath, p.ThroughputOps/1e6, p.Retries,
			p.Evidence)
	}
}

// TestSubmodesDropPartitions: a filter for an unused partition costs only the comparison. For a
// used partition, the requests are lost, the point fails, and its reason names the filter.
func TestSubmodesDropPartitions(t *testing.T) {
	points, sum := onPathPoints(t,
		"store: herd\nsubmode: [sm1, sm2, sm3, sm4]\nserver_threads: 2\nfilter: [drop-key-hash:2-9, "+
			"drop-key-hash:1]\n")
	if len(points) != 8 {
		t.Errorf("%d points, %v", len(points), sum.Failed)
	}
	for _, p := range points {
		t.Logf("%s, %s: %s %s, %v", p.Submode, p.Filter, p.Status, p.Error, p.Evidence)
		if p.Filter == "drop-key-hash:2-9" {
			if p.Status != results.StatusOK || p.Ops == 0 || p.Evidence["dropped"] != 0 {
				t.Errorf("%s, %s: %s %s, %v", p.Submode, p.Filter, p.Status, p.Error, p.Evidence)
			}
			continue
		}
		if p.Status != results.StatusFailed || !strings.Contains(p.Error, "the filter drop-key-hash:1 dropped ") {
			t.Errorf("%s, %s: %s %s", p.Submode, p.Filter, p.Status, p.Error)
		}
	}
}

// TestSubmodesDropClients: a client whose packets are dropped fails, over TCP too, and its point
// says why.
func TestSubmodesDropClients(t *testing.T) {
	const first = "198.18.0.1" // that of hostA
	points, sum := onPathPoints(t,
		"store: mica\nsubmode: [sm3, sm4]\nfilter: [drop-client:192.0.2.1-192.0.2.200, drop-client:"+first+"]\n")
	if len(points) != 4 {
		t.Errorf("%d points, %v", len(points), sum.Failed)
	}
	for _, p := range points {
		t.Logf("%s, %s: %s %s, %v", p.Submode, p.Filter, p.Status, p.Error, p.Evidence)
		lost := p.Filter == "drop-client:"+first
		if lost && (p.Status != results.StatusFailed ||
			!strings.Contains(p.Error, "the filter drop-client:"+first+" dropped ")) ||
			!lost && (p.Status != results.StatusOK || p.Ops == 0 || p.Evidence["dropped"] != 0) {
			t.Errorf("%s, %s: %s %s, %v", p.Submode, p.Filter, p.Status, p.Error, p.Evidence)
		}
	}
}
