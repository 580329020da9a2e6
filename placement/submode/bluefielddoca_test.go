package submode

import (
	"context"
	"strings"
	"testing"
	"time"
)

func init() {
	const n = 10000 // packets that came in at each port
	runs := func(t traffic) [][2]string {
		return append([][2]string{
			{"list Open_vSwitch", runsDOCA},
			{"dpif/show", "doca@ovs-doca: hit:1 missed:1\n  dpukv0:\nsystem@ovs-system: hit:1 missed:1\n"},
			{"dump-flows -m netdev@ovs-netdev", "FAIL ovs-vswitchd: opening datapath"},
			{"pmd-stats-show ovs-netdev", "FAIL please specify an existing datapath"},
		}, t.says()...)
	}
	for _, l := range []cardLoad{
		{"right", traffic{came: n, hardware: n}, ""},
		{"few partly", traffic{came: n, hardware: n - 100, partial: 100, threads: 200}, ""},
		{"on the CPU", traffic{came: n, software: n, threads: 2 * n}, elsewhere},
		{"partly", traffic{came: n, partial: n, threads: 2 * n}, partially},
		{"polled", traffic{came: n, hardware: n, threads: n}, elsewhere},
		{"the kernel, too", traffic{came: n, hardware: n, cpu: n}, elsewhere},
		{"nothing", traffic{came: n}, notTaken},
	} {
		cardCounters[blueFieldDOCA] = append(cardCounters[blueFieldDOCA], counters{
			l.name, runs(before), runs(before.plus(&l.load)), l.want,
		})
	}
}

// Rows of the table Open_vSwitch, from the columns that Open vSwitch 3.1 prints and, for DOCA, those
// that NVIDIA's documentation of OVS-DOCA names.
const (
	runsKernel = `bridges             : []
dpdk_initialized    : false
dpdk_version        : "DPDK 22.11.4"
other_config        : {hw-offload="true"}
ovs_version         : "3.1.0"
`
	runsDPDK = `bridges             : []
doca_initialized    : false
dpdk_initialized    : true
other_config        : {dpdk-init="true", hw-offload="true"}
ovs_version         : "2.17.8"
`
	runsDOCA = `bridges             : []
doca_initialized    : true
doca_version        : "2.9.0"
dpdk_initialized    : true
other_config        : {doca-init="true", hw-offload="true"}
ovs_version         : "3.2.1"
`
)

// docaCard is a healthy card that runs OVS-DOCA, once it is asked to.
func docaCard(row string) *fakeCard {
	return &fakeCard{answers: append([][2]string{
		{"list Open_vSwitch", row},
		{"free_hugepages", pages},
		{"mtu mtu_request", "1500\n1500"},
		{"ip -j link", `[{"ifname":"p0","address":"02:00:00:00:00:01"}]`},
	}, healthy...)}
}

const pages = "pool 2048 4096\nmounted /dev/hugepages rw,relatime,pagesize=2M\n"

// TestDOCARuns: OVS-DOCA is what the switch runs, not what it was asked for.
func TestDOCARuns(t *testing.T) {
	for name, c := range map[string]struct{ row, want string }{
		"it runs":      {runsDOCA, ""},
		"it does not":  {runsDPDK, "found an Open vSwitch without DOCA"},
		"Debian's OvS": {runsKernel, "found no column doca_initialized"},
		"no row":       {"", "found \"\""},
	} {
		fake := docaCard(c.row)
		// Nobody waits for a switch that will never run OVS-DOCA.
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		l, err := mustNew(t, Config{Submode: SM5, Target: BlueField, Datapath: "ovs-doca"}).
			Apply(ctx, fake.node())
		if !failsWith(err, c.want) {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
		if err == nil && !strings.Contains(l.Describe(), "OVS-DOCA") {
			t.Error(l.Describe())
		}
		for _, command := range fake.asked {
			if strings.Contains(command, "dpdk-init") || strings.Contains(command, "dpdk-extra") {
				t.Errorf("%s: it ran %s", name, command)
			}
		}
	}
}

// TestDOCAIsNotDPDK: on a card with OVS-DOCA, every other datapath refuses with the command that
// clears it, and changes nothing.
func TestDOCAIsNotDPDK(t *testing.T) {
	stale := strings.Replace(runsDOCA, `doca-init="true", `, "", 1)
	for _, d := range datapaths {
		if d.target != BlueField || d == blueFieldDOCA || !OnPath(d.submodes[0]) {
			continue
		}
		for row, want := range map[string]string{
			runsDOCA: "found other_config:doca-init=true",
			stale:    "found doca_initialized: true",
		} {
			fake := docaCard(row)
			_, err := mustNew(t, Config{Submode: d.submodes[0], Target: BlueField, Datapath: d.name}).
				Apply(t.Context(), fake.node())
			const advice = "ovs-vsctl --no-wait remove Open_vSwitch . other_config doca-init"
			if !failsWith(err, want) || !failsWith(err, advice) {
				t.Errorf("%s: found %v, want %q", d.name, err, want)
			}
			fake.changedNothing(t, d.name)
		}
	}
}

// TestWhatRunsIsEvidence: a switch that runs something else after the load is no evidence.
func TestWhatRunsIsEvidence(t *testing.T) {
	for _, c := range []struct {
		datapath  *datapath
		row, want string
	}{
		{blueFieldDOCA, runsDPDK, "found an Open vSwitch without DOCA"},
		{blueFieldDPDKOffload, runsDOCA, "found an Open vSwitch that runs OVS-DOCA"},
		{blueFieldDPDK, runsDOCA, "found an Open vSwitch that runs OVS-DOCA"},
		{blueFieldDPDK, runsKernel, "found an Open vSwitch without DPDK"},
		{blueFieldKernelOffload, runsDOCA, "found an Open vSwitch that runs OVS-DOCA"},
	} {
		counts := Counts{Elsewhere: map[string]uint64{}, Carried: map[string]uint64{}}
		s := mustNew(t, Config{
			Submode: c.datapath.submodes[0], Target: BlueField, Datapath: c.datapath.name,
		})
		err := c.datapath.Count(t.Context(), s.setup(c.datapath, "/x"), docaCard(c.row).node(), &counts)
		if !failsWith(err, c.want) {
			t.Errorf("%s: found %v, want %q", c.datapath.name, err, c.want)
		}
	}
}
