package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
	"dpukv/results"
)

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
		if warned := strings.Contains(p.Warnings.String(),
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
		must.Contain(t, p.Error, submode.ErrAnotherWay.Error(), look)
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
	must.Do(t, os.WriteFile(o.TestbedFile, []byte(bed), 0o600))
	plan := must.Get(NewPlan(o))(t)
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

// ofThisMachine runs a script's function ours for each process of the machine whose command line
// contains a text.
const ofThisMachine = `
here=$(readlink /proc/self/ns/net)
for p in /proc/[0-9]*; do
	test "$(readlink "$p/ns/net" 2>/dev/null)" = "$here" || continue
	args=$(tr '\0' ' ' <"$p/cmdline" 2>/dev/null) || continue
	case "$args" in "$1"*) ours "${p#/proc/}" "$args" ;; esac
done
`

// breaks are ways to break a datapath in the middle of a point, and the expected reason of the
// point.
var breaks = []struct {
	name, datapath string
	polls          bool // it is a program that keeps CPUs busy
	script         []string
	want           string
}{
	{
		"a rule is gone", "{sm4: tc-u32}", false,
		[]string{"tc", "qdisc", "del", "dev", "p0", "ingress"},
		"datapath tc-u32 of sm4 is broken: this was so and is not any more: a redirect on p0",
	},
	{
		"a port is down", "{sm4: tc-u32}", false,
		[]string{"ip", "link", "set", "dev", "p0", "down"},
		"datapath tc-u32 of sm4 is broken: this was so and is not any more: p0 is up and has a link",
	},
	{
		"the program is gone", "{sm4: tcx}", false,
		[]string{"DPUKV", "redirect", "detach", "p0", "pf0hpf"},
		"datapath tcx of sm4 is broken: this was so and is not any more: one redirect on p0",
	},
	{
		"testpmd is killed", "{sm3: testpmd}", true,
		[]string{"sh", "-c", `ours() { kill -9 "$1"; }` + ofThisMachine, "sh", "dpdk-testpmd "},
		"datapath testpmd of sm3 is broken: this was so and is not any more: DPDK's forwarder runs",
	},
	{
		"the switch is killed", "{sm1: ovs-netdev}", true,
		[]string{"sh", "-c", `ours() { kill -9 "$1"; }` + ofThisMachine, "sh", "ovs-vswitchd "},
		"datapath ovs-netdev of sm1 is broken: this was so and is not any more: the switch runs",
	},
	{
		"the switch loses a port", "{sm1: ovs-netdev}", true,
		[]string{"sh", "-c", `
ours() { ovs-vsctl --db="unix:$(echo "$2" | sed 's/.*--pidfile=\([^ ]*\)\/.*/\1/')/db.sock" del-port dpukv0 p0; }` +
			ofThisMachine, "sh", "ovs-vswitchd "},
		"datapath ovs-netdev of sm1 is broken: this was so and is not any more: p0 is in our bridge",
	},
}

// TestSubmodeBrokenInTheMiddle: the reason first names the DPU and the missing part of its
// datapath, and then the client's error. The client only sees a silent server.
func TestSubmodeBrokenInTheMiddle(t *testing.T) {
	for _, c := range breaks {
		t.Run(c.name, func(t *testing.T) {
			if c.polls && os.Getenv("SUBMODE_REQUIRE") == "" {
				t.Skip("it starts Open vSwitch or DPDK, which poll: make test-lab runs it")
			}
			breakInTheMiddle(t, c.datapath, c.script, c.want)
		})
	}
}

func breakInTheMiddle(t *testing.T, datapath string, script []string, want string) {
	bed := "nodes:\n  hostA: {kind: host, via: netns}\n  hostB: {kind: host, via: netns}\n" +
		"  dpuB: {kind: dpu, of: hostB, via: netns, profile: none, datapath: " + datapath + "}\n" +
		"client_side: hostA\nserver_side: [hostB, dpuB]\n"
	sm := strings.Trim(strings.Fields(datapath)[0], "{:")
	file := "submode: " + sm + "\nget_ratio: 0.5\nkeys: 1000\nclient_threads: 1\n" +
		"duration: 10s\nwarmup: 50ms\nrepeats: 1\n"
	o := inLab(t, file, nil)
	broken := false
	o.observe = func(event string, _ *sweep.Point, m *machines.Machines) {
		if event != "go" {
			return
		}
		argv := append([]string{}, script...)
		if argv[0] == "DPUKV" {
			argv[0] = m.Command[0]
		}
		if _, err := m.SubmodeNode(m.Bed.Node("dpuB")).Run(t.Context(), argv); err != nil {
			t.Error(err)
		}
		broken = true
	}
	sum, err := runOnPath(t, o, bed)
	if !broken || err == nil || len(sum.Failed) != 1 {
		t.Fatalf("got %+v, %v, want one point that fails", sum, err)
	}
	reason := sum.Failed[0].Reason
	t.Log(reason)
	at, effect := strings.Index(reason, "node dpuB: the "+want), strings.Index(reason, "node hostA: ")
	if at != 0 || effect < at {
		t.Errorf("the reason is\n%s\nwant it to begin with node dpuB and\n%s\nand to go on with what the client says",
			reason, want)
	}
	if p := readPoints(t, o.Dir)[0]; p.Status != results.StatusFailed || p.Error != reason {
		t.Errorf("the point says %s %q", p.Status, p.Error)
	}
}
