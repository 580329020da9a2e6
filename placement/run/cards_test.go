package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/tools"
	"dpukv/placement/launch"
	"dpukv/placement/machines"
	"dpukv/placement/submode"
	"dpukv/placement/submode/card"
	"dpukv/placement/testbed"
	"dpukv/results"
)

// mlxconfigScript is a card's tool with three modes; each is a number of INTERNAL_CPU_MODEL. It
// prints what NVIDIA's documents show. No card was used.
func mlxconfigScript(preset, current, next string) string {
	return `case $5 in INTERNAL_CPU_MODEL) echo "$5 ` + preset + " " + current + " " + next + `" ;;
*) echo "$5 0 0 0" ;; esac
`
}

// runHere runs what ssh would run on the other machine.
const runHere = `for last; do :; done
exec sh -c "$last"
`

// cardsBed has two hosts here, and a card in each that ssh reaches.
const cardsBed = `
nodes:
  hostA: {via: local}
  hostB: {via: local}
  dpuA: {kind: dpu, of: hostA, generation: bf3, via: ssh, address: 10.10.10.2}
  dpuB: {kind: dpu, of: hostB, generation: bf3, via: ssh, address: 10.10.10.4}
client_side: hostA
server_side: hostB
`

func runWithCards(t *testing.T, submodes, bed string) (Summary, []results.Point) {
	t.Helper()
	o, _, _ := fakeOptions(t, "")
	dir := t.TempDir()
	o.SweepFile, o.TestbedFile = filepath.Join(dir, "sweep.yaml"), filepath.Join(dir, "bed.yaml")
	for file, text := range map[string]string{
		o.SweepFile: "get_ratio: 1\nclient_threads: 1\nduration: 10ms\nwarmup: 0s\nrepeats: 1\nkeys: 10\n" +
			"submode: " + submodes + "\n",
		o.TestbedFile: bed,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := runFake(t, o)
	if err != nil && len(sum.Failed) == 0 {
		t.Fatal(err)
	}
	return sum, readPoints(t, o.Dir)
}

// TestCardsOfAPoint: a point has the current mode of every card of its hosts. Off-path, a card of
// either side that forwards is refused, though the testbed names no target and though the mode of
// the next power cycle would do.
func TestCardsOfAPoint(t *testing.T) {
	for name, c := range map[string]struct {
		submode, mlxconfig string
		want               []string // of the error; none: it is measured
		mode               string
	}{
		"separated": {submode.OffPath, mlxconfigScript("1", "0", "0"), nil, "separated"},
		"DPU": {
			submode.OffPath, mlxconfigScript("1", "1", "0"),
			[]string{
				"submode off-path, the card 0000:03:00.0 in host", "found DPU mode", "after a power cycle",
				"mlxconfig -d 0000:03:00.0 set INTERNAL_CPU_MODEL=0", "submode: [off-path-sf]",
			},
			"",
		},
		"SF": {submode.OffPathSF, mlxconfigScript("1", "1", "1"), nil, "dpu"},
		"SF, separated": {
			submode.OffPathSF, mlxconfigScript("1", "0", "0"),
			[]string{"submode off-path-sf", "found separated-host mode", "INTERNAL_CPU_MODEL=1"},
			"",
		},
		"unread": {
			submode.OffPath, "echo '-E- Failed to open the device'; exit 3\n",
			[]string{"the mode of the card in host", "Failed to open the device", "mst start"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools.First(t, map[string]string{
				"ssh": runHere, "mlxconfig": c.mlxconfig, "mst": "exit 1\n", "sudo": "shift; exec \"$@\"\n",
			})
			sum, points := runWithCards(t, c.submode, cardsBed)
			if c.want != nil {
				for _, want := range c.want {
					if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Reason, want) {
						t.Errorf("got %+v, want %q", sum, want)
					}
				}
				return
			}
			if len(points) != 1 || points[0].Status != results.StatusOK || len(points[0].Cards) != 2 {
				t.Fatalf("got %+v", points)
			}
			for i, host := range []string{"hostB", "hostA"} {
				got := points[0].Cards[i]
				if got.Host != host || got.ReadOn != strings.Replace(host, "host", "dpu", 1) || got.Mode != c.mode {
					t.Errorf("got %+v, want %s in mode %s", got, host, c.mode)
				}
			}
			if unproven := strings.Contains(strings.Join(points[0].Warnings, "\n"),
				"is not proven"); unproven != (c.submode == submode.OffPathSF) {
				t.Errorf("got the warnings %q", points[0].Warnings)
			}
		})
	}
}

// TestNoCards: machines without a card have no cards in their points, and no warnings about any.
func TestNoCards(t *testing.T) {
	tools.First(t, map[string]string{"mlxconfig": "exit 1\n"})
	_, points := runWithCards(t, submode.OffPath, "nodes: {a: {via: local}, b: {via: local}}\n"+
		"client_side: a\nserver_side: b\n")
	if len(points) != 1 || points[0].Status != results.StatusOK || points[0].Cards != nil ||
		strings.Contains(strings.Join(points[0].Warnings, "\n"), "card") {
		t.Errorf("got %+v", points)
	}
}

// TestWarningsOfCards: a card that cannot be read is a warning, and so is a second card on the path.
func TestWarningsOfCards(t *testing.T) {
	c := &testbed.Assignment{
		Server:  testbed.Node{Node: launch.Node{Name: "hostB"}, Kind: testbed.KindHost},
		Clients: []testbed.Node{{Node: launch.Node{Name: "hostA"}, Kind: testbed.KindHost}},
	}
	unseen := pointCards{{machines.HostCard{Host: "hostB", Why: "sh: not found"}}}
	if got := unseen.warnings(submode.OffPath, c); len(got) != 1 ||
		!strings.Contains(got[0], "whether hostB has a BlueField on its path is not known") {
		t.Errorf("got %q", got)
	}
	nic := pointCards{{machines.HostCard{Host: "hostB", ReadOn: "hostB", Card: card.Card{Current: card.NIC}}}}
	if got := nic.warnings(submode.OffPath, c); len(got) != 1 || nic.check(submode.OffPath) != nil ||
		!strings.Contains(got[0], "to its host it is a NIC") {
		t.Errorf("got %q", got)
	}
	if nic[0].Named = true; nic.check(submode.OffPath) == nil {
		t.Error("a NIC whose Arm the testbed names passes as a separated host")
	}
	unknown := pointCards{{machines.HostCard{
		Host: "hostB", Why: "mlxconfig: not found", Card: card.Card{PCI: "0000:03:00.0"},
	}}}
	if got := unknown.warnings(submode.OffPath, c); len(got) != 1 || unknown.check(submode.OffPath) != nil ||
		!strings.Contains(got[0], "whether this is off-path is not verified (mlxconfig: not found)") {
		t.Errorf("got %q", got)
	}
	both := pointCards{
		{machines.HostCard{Host: "hostB", ReadOn: "dpuB", Card: card.Card{Current: card.DPU}}},
		{machines.HostCard{Host: "hostA", ReadOn: "dpuA", Card: card.Card{Current: card.DPU}}},
	}
	if got := both.warnings(submode.SM4, c); len(got) != 1 || !strings.Contains(got[0], "crosses the switches of two") {
		t.Errorf("got %q", got)
	}
}

// TestModesOfAPoint: the nodes of a point have the address and the device of their card's mode.
func TestModesOfAPoint(t *testing.T) {
	tools.First(t, map[string]string{"ssh": runHere, "mlxconfig": mlxconfigScript("1", "1", "1"), "ip": sfAddress})
	bed, err := testbed.Parse("t.yaml", []byte(strings.ReplaceAll(cardsBed, "address: 10.10.10.4",
		"address: 10.10.10.4, rdma: {device: mlx5_0}, modes: {dpu: {address: 10.10.10.14, rdma: {device: mlx5_2}}}")+
		"placements: {TO-DPU: {clients: hostA, server: dpuB}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := bed.Assign("TO-DPU")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{submode.OffPath: "10.10.10.4", submode.OffPathSF: "10.10.10.14"} {
		if planned := c.For(name); planned.Server.Address != want {
			t.Errorf("%s: planned %s, want %s", name, planned.Server.Address, want)
		}
	}
	m := &machines.Machines{Bed: bed}
	pt := pointIn(submode.OffPathSF)
	_, _, err = visitCards(t.Context(), m, pt, &c)
	if err == nil || !strings.Contains(err.Error(), "wants its address 10.10.10.14 on a scalable function") {
		t.Errorf("an address of another interface: got %v", err)
	}
	pt.Submode = submode.SM4
	got, cards, err := visitCards(t.Context(), m, pt, &c)
	if err != nil || len(cards) != 2 || got.Server.Address != "10.10.10.14" || got.Server.RDMA.Device != "mlx5_2" ||
		c.Server.Address != "10.10.10.4" {
		t.Errorf("got %+v, %+v, %v", got.Server, cards, err)
	}
}

const sfAddress = `echo '[{"ifname":"br0","addr_info":[{"local":"10.10.10.14"}]}]'` + "\n"
