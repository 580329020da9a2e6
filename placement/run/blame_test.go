package run

import (
	"os"
	"strings"
	"testing"

	"dpukv/placement/machines"
	"dpukv/placement/sweep"
	"dpukv/results"
)

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
