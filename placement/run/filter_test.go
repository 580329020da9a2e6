package run

import (
	"os"
	"strings"
	"testing"

	"dpukv/placement/submode"
	"dpukv/results"
)

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
	o := inLab(t, "get_ratios: 0.5\nmode: store\nkeys: 2000\nclient_threads: 1\nduration: 500ms\nwarmup: 100ms\nrepeats: 1\n"+sweep, nil)
	sum, err := runOnPath(t, o, onPathBed)
	if err != nil && len(sum.Failed) == 0 {
		t.Fatal(err)
	}
	return readPoints(t, o.Dir), sum
}

// TestSubmodesWithHERD: RoCE packets in software pass every submode, with proof.
func TestSubmodesWithHERD(t *testing.T) {
	points, sum := onPathPoints(t, "stores: herd\nsubmodes: [direct, sm1, sm2, sm3, sm4, sm5]\n")
	if len(points) != 6 {
		t.Errorf("%d points, %v", len(points), sum.Failed)
	}
	for _, p := range points {
		if p.Status != results.StatusOK || p.Ops == 0 || p.Errors > 0 || submode.OnPath(p.Submode) && p.CarriedShare < .9 {
			t.Errorf("%s: %s %s, %d operations, %.2f carried, %v", p.Submode, p.Status, p.Error, p.Ops, p.CarriedShare, p.Evidence)
		}
		t.Logf("%s, %s: %.3f Mops, %d sent again, %v", p.Submode, p.Datapath, p.ThroughputOps/1e6, p.Retries, p.Evidence)
	}
}

// TestSubmodesDropPartitions: a partition that nobody has costs the look; the requests of one that keys are in are lost, and the point
// fails and says why.
func TestSubmodesDropPartitions(t *testing.T) {
	points, sum := onPathPoints(t, "stores: herd\nsubmodes: [sm1, sm2, sm3, sm4]\nserver_threads: 2\nfilters: [drop-key-hash:2-9, drop-key-hash:1]\n")
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

// TestSubmodesDropClients: a client whose packets are dropped gets nowhere, over TCP neither, and its point says why.
func TestSubmodesDropClients(t *testing.T) {
	const first = "198.18.0.1" // that of hostA
	points, sum := onPathPoints(t, "stores: mica\nsubmodes: [sm3, sm4]\nfilters: [drop-client:192.0.2.1-192.0.2.200, drop-client:"+first+"]\n")
	if len(points) != 4 {
		t.Errorf("%d points, %v", len(points), sum.Failed)
	}
	for _, p := range points {
		t.Logf("%s, %s: %s %s, %v", p.Submode, p.Filter, p.Status, p.Error, p.Evidence)
		lost := p.Filter == "drop-client:"+first
		if lost && (p.Status != results.StatusFailed || !strings.Contains(p.Error, "the filter drop-client:"+first+" dropped ")) ||
			!lost && (p.Status != results.StatusOK || p.Ops == 0 || p.Evidence["dropped"] != 0) {
			t.Errorf("%s, %s: %s %s, %v", p.Submode, p.Filter, p.Status, p.Error, p.Evidence)
		}
	}
}
