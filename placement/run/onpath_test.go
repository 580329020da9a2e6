package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/sweep"
)

// TestSubmodesInASweep has a sweep set datapaths up between emulated machines, prove them, and leave nothing. Package submode tests
// the datapaths themselves.
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
submodes: [off-path, direct, sm4, sm5]
get_ratios: 0.5
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
		if p.Datapath != want || (p.Substitute != "") != submode.OnPath(p.Submode) || (len(p.Evidence) == 0) != (p.Submode == "off-path") {
			t.Errorf("%s: got %q, substitute %q, evidence %v, want %q", p.Submode, p.Datapath, p.Substitute, p.Evidence, want)
		}
		window := int64(350 * time.Millisecond) // with the warm-up
		if (p.EvidenceNs != 0) != (p.Submode != "off-path") || p.EvidenceNs != 0 && (p.EvidenceNs < window || p.EvidenceNs > 20*window) {
			t.Errorf("%s: evidence of %v, want a little more than %v, and none off-path", p.Submode, time.Duration(p.EvidenceNs), time.Duration(window))
		}
		if warned := strings.Contains(strings.Join(p.Warnings, "\n"), "stands in for the eSwitch"); warned != submode.OnPath(p.Submode) {
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

// TestSubmodesBypassed: a second cable between the hosts takes the load once it has begun to cross
// the one that is measured. No such point is measured.
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
submodes: [direct, sm4]
stores: [mica, herd]
get_ratios: 0.5
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

// bypass joins the hosts by another cable, once packets cross the one there is.
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

// runOnPath runs a sweep between the machines of a testbed; a datapath that is not installed here skips the test, unless
// SUBMODE_REQUIRE names it.
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

// requiredOf are those datapaths that a point may have and that have to be there.
func requiredOf(plan *Plan, id, required string) []string {
	pt := &plan.points[slices.IndexFunc(plan.points, func(pt sweep.Point) bool { return pt.ID == id })]
	dpu := plan.testbed.DpuOf("hostB")
	may := submode.ByDefault(dpu.Target(), pt.Submode, sweep.WorkOnPath(pt.Filter))
	if chosen := dpu.Datapath.Chosen[pt.Submode]; chosen != "" {
		may = []string{chosen}
	}
	return slices.DeleteFunc(may, func(name string) bool { return !slices.Contains(strings.Fields(required), name) })
}

// TestSubmodesThatCannotBeHad are refused before anything starts.
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
		"submodes: sm1\nplacements: CH-SD":                          "found the server on dpuB, allowed: on a host",
		"submodes: sm1\nplacements: L-CD-SH":                        "found a client on dpuB, allowed: on a machine that the way to hostB starts from",
		"submodes: [sm1, sm3]\nstores: herd\nfilters: count-opcode": "neither an OpenFlow rule nor flower",
		"submodes: sm3\nstores: herd\nfilters: count-opcode":        "no memory to count in",
		"submodes: sm4\nfilters: count-opcode":                      "found filter count-opcode with store mica, allowed: with herd",
		"submodes: sm1\nstores: redis\nfilters: drop-key-hash:1":    "found filter drop-key-hash:1 with store redis, allowed: with herd",
		"submodes: off-path\nfilters: drop-client:192.0.2.1":        "there is no DPU on the path",
		"submodes: sm1\nfilters: count-opcode:get":                  "filters: found \"count-opcode:get\", allowed: none, drop-client:ADDRESS",
		"submodes: direct\nplacements: CD-SH":                       "found a client on dpuA",
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
