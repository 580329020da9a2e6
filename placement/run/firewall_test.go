package run

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/internal/test/testbeds"
	"dpukv/placement/machines"
	"dpukv/placement/sweep"
	"dpukv/results"
)

const openPorts = "7000-7100"

// behindFirewall plans a sweep whose machine hostB has a rule for packets that come in. With
// ports, its servers use openPorts.
func behindFirewall(t *testing.T, sweepFile, rule string, ports bool) Options {
	t.Helper()
	o := inLab(t, sweepFile, func(event string, _ *sweep.Point, m *machines.Machines) {
		if event != "begin" {
			return
		}
		n := m.SubmodeNode(m.Bed.Node("hostB"))
		table := "table inet wall { chain in { type filter hook input priority 0; " + rule + "; }; }"
		_, drop := n.Run(context.Background(), []string{"sh", "-c", "nft delete table inet wall 2>&1 || :"})
		_, err := n.Run(context.Background(), []string{"nft", table})
		if err := errors.Join(drop, err); err != nil {
			t.Error(err)
		}
	})
	bed := testbeds.FourMachines
	if ports {
		bed = "ports: " + openPorts + "\n" + bed
	}
	must.Do(t, os.WriteFile(o.TestbedFile, []byte(bed), 0o600))
	return o
}

// TestFirewall: with ports, every store is measured through a firewall that opens these ports, and
// that of RoCE, alone.
func TestFirewall(t *testing.T) {
	points := strings.Replace(shortPoints, "[mica, herd]", "[mica, herd, memcached, redis]", 1)
	o := behindFirewall(t, points+"server_threads: 1\nplacement: [CH-SH]\n",
		"tcp flags & (syn|ack) == syn tcp dport != "+openPorts+" drop; udp dport != 4791 drop", true)
	if sum := runAll(t, o); sum.Points != 4 {
		t.Errorf("found %d points, want one of each store", sum.Points)
	}
	for _, p := range readPoints(t, o.Dir) {
		_, port, _ := strings.Cut(p.ServerAddr, ":")
		if p.Status == results.StatusOK && (len(port) != 4 || port < "7000" || port > "7100") {
			t.Errorf("%s: found the server at %s, want a port of %s", p.ID, p.ServerAddr, openPorts)
		}
	}
}

// TestBlocked: each way of a firewall to block a server's port gives a message with both ends, the
// fault and what to do.
func TestBlocked(t *testing.T) {
	for name, test := range map[string]struct{ rule, fault string }{
		"drop":     {"drop", "found no answer (i/o timeout)"},
		"reset":    {"reject with tcp reset", "found a refusal (connect: connection refused)"},
		"reject":   {"reject", "found a refusal (connect: connection refused)"},
		"prohibit": {"reject with icmpx type admin-prohibited", "found no way there (connect: no route to host)"},
	} {
		t.Run(name, func(t *testing.T) {
			o := behindFirewall(t, shortPoints+"server_threads: 1\nplacement: [CH-SH]\n",
				"tcp flags & (syn|ack) == syn "+test.rule, name == "reset")
			plan := must.Get(NewPlan(o))(t)
			sum, err := plan.Run(t.Context())
			if err == nil || len(sum.Failed) != 2 {
				t.Fatalf("found %+v, %v, want two failed points", sum, err)
			}
			advice := "write ports: 7000-7100 into the testbed file"
			if name == "reset" {
				advice = "open the ports there, with nft insert rule inet filter input tcp dport 7000-7100 accept"
			}
			must.Contain(t, sum.Failed[0].Reason,
				"node hostA: connection from node hostA (", ") to node hostB at ", test.fault,
				"firewall on node hostB", advice, "firewall-cmd --add-port="+openPorts+"/tcp")
		})
	}
}
