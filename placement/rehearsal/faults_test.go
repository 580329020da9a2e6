//go:build card

package rehearsal

import (
	"errors"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/emulate"
	"dpukv/placement/submode"
	carddevice "dpukv/placement/submode/card"
	"dpukv/placement/submode/ovs"
)

// fault is a card that is not as a datapath needs it.
type fault struct {
	name, submode, datapath string
	on                      []string // emulated faults
	before, after           string   // scripts on the card; "": none
	words                   []string // of the error
}

const (
	sm4 = "ovs-system-offload"
	sm5 = "ovs-dpdk-offload"
)

// refused are faults that a check finds. Nothing was changed then.
var refused = []fault{
	{
		name: "separated host", submode: submode.SM1, datapath: "ovs-system", on: []string{"off-path"},
		words: []string{"found separated-host mode", "then a power cycle of the host"},
	},
	{
		name: "NIC mode", submode: submode.SM4, datapath: sm4, on: []string{"nic-mode"},
		words: []string{"found NIC mode", "INTERNAL_CPU_OFFLOAD_ENGINE=0"},
	},
	{
		name: "legacy eSwitch", submode: submode.SM4, datapath: sm4, on: []string{"legacy"},
		words: []string{"mode legacy", "devlink dev eswitch set pci/0000:03:00.0 mode switchdev"},
	},
	{
		name: "inactive eSwitch", submode: submode.SM4, datapath: sm4, on: []string{"inactive"},
		words: []string{"mode switchdev_inactive", "devlink dev eswitch set pci/0000:03:00.0 mode switchdev"},
	},
	{
		name: "VF-LAG", submode: submode.SM4, datapath: sm4, on: []string{"lag"},
		words: []string{"found p0 in bond0", "ip link set dev p0 nomaster"},
	},
	{
		name: "no testpmd", submode: submode.SM3, datapath: "testpmd",
		before: "mv /opt/mellanox /opt/elsewhere", after: "mv /opt/elsewhere /opt/mellanox",
		words: []string{"dpdk-testpmd, in /opt/mellanox/dpdk/bin or in PATH", "install the card's own DPDK"},
	},
	{
		name: "no huge pages", submode: submode.SM2, datapath: "ovs-dpdk",
		before: "echo 100 >/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages",
		after:  "echo 4096 >/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages",
		words: []string{
			"found 200 MiB in huge pages: 100 free of 2048 kB",
			"echo 2048 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
		},
	},
	{
		name: "two MTUs", submode: submode.SM2, datapath: "ovs-dpdk",
		before: "ip link set dev p0 mtu 1400", after: "ip link set dev p0 mtu 1500",
		words: []string{"found an MTU of 1400 on p0 and 1500 on pf0hpf", "ip link set dev PORT mtu N"},
	},
	{
		name: "OVS-DOCA, for SM1", submode: submode.SM1, datapath: "ovs-system",
		before: runDOCA, after: endDOCA,
		words: []string{
			"found other_config:doca-init=true", "cp /etc/openvswitch/conf.db",
			"remove Open_vSwitch . other_config doca-init",
		},
	},
	{
		name: "OVS-DOCA, for SM5", submode: submode.SM5, datapath: sm5,
		before: runDOCA, after: endDOCA,
		words: []string{"found other_config:doca-init=true", "datapath: {sm5: ovs-doca}"},
	},
	{
		name: "OVS-DOCA until the next start", submode: submode.SM2, datapath: "ovs-dpdk",
		before: runDOCA + "; ovs-vsctl --no-wait remove Open_vSwitch . other_config doca-init",
		after:  endDOCA,
		words:  []string{"found doca_initialized: true", "systemctl restart openvswitch-switch"},
	},
	{
		name: "an Open vSwitch without DOCA", submode: submode.SM5, datapath: "ovs-doca",
		on:    []string{"no-doca"},
		words: []string{"found no column doca_initialized", "datapath: {sm5: ovs-dpdk-offload}"},
	},
}

const (
	restart = "systemctl restart openvswitch-switch"
	runDOCA = "ovs-vsctl --no-wait set Open_vSwitch . other_config:doca-init=true; " + restart
	endDOCA = "ovs-vsctl --no-wait remove Open_vSwitch . other_config doca-init; " + restart
)

// TestRefused: a card that is not as it must be is refused with the right words, and stays as it is.
func TestRefused(t *testing.T) {
	c := newCard(t)
	for i := range refused {
		f := &refused[i]
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			c.fault(t, f.on...)
			if f.before != "" {
				c.shell(f.before)
				t.Cleanup(func() { c.shell(f.after) })
			}
			before := c.snapshot() + c.shell("cat /run/openvswitch/ovs-vswitchd.pid")
			_, err := mustNew(t, f.submode, f.datapath).Apply(t.Context(), c.node())
			if !errors.Is(err, submode.ErrMissing) || !has(err, f.words) {
				t.Errorf("found %v, want %q", err, f.words)
			}
			t.Log(err)
			if after := c.snapshot() + c.shell("cat /run/openvswitch/ovs-vswitchd.pid"); after != before {
				t.Errorf("it changed the card: before\n%s\nafter\n%s", before, after)
			}
		})
	}
}

// TestHarmless: cards that a first reading took for broken ones work, and are left as they were.
func TestHarmless(t *testing.T) {
	c := newCard(t)
	for _, f := range []fault{
		{
			name: "huge pages not mounted", submode: submode.SM2, datapath: "ovs-dpdk",
			before: "umount /run/hugepages", after: "mount -t hugetlbfs -o pagesize=2M none /run/hugepages",
			on: []string{"no-pmd-stats", "restart-nothing"},
		},
		{
			name: "offloads already", submode: submode.SM1, datapath: "ovs-system",
			before: "ovs-vsctl --no-wait set Open_vSwitch . other_config:hw-offload=true; " + restart,
			after:  "ovs-vsctl --no-wait remove Open_vSwitch . other_config hw-offload; " + restart,
			on:     []string{"few-packets"},
		},
		{
			name: "mstconfig alone, numbers of ports", submode: submode.SM4, datapath: sm4,
			before: "mv /run/card/bin/mlxconfig /run/card/bin/mstconfig",
			after:  "mv /run/card/bin/mstconfig /run/card/bin/mlxconfig", on: []string{"numbers"},
		},
	} {
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			c.shell(f.before)
			t.Cleanup(func() { c.shell(f.after) })
			c.fault(t, f.on...)
			before := c.snapshot()
			l := c.apply(t, f.submode, f.datapath)
			if _, err := c.prove(t, l); err != nil {
				t.Error(err)
			}
			c.undone(t, l.Undo(t.Context()), before)
		})
	}
}

// TestLeaveDOCA: the commands that end OVS-DOCA leave a switch that forwards in the kernel.
func TestLeaveDOCA(t *testing.T) {
	c := newCard(t)
	c.shell(runDOCA + `
ovs-vsctl --timeout=30 add-br ovsbr1 -- set bridge ovsbr1 datapath_type=netdev -- add-port ovsbr1 p0 -- set interface p0 type=dpdk`)
	_, err := mustNew(t, submode.SM1, "ovs-system").Apply(t.Context(), c.node())
	if !has(err, []string{ovs.LeaveDOCA}) {
		t.Errorf("found %v", err)
	}
	c.shell(ovs.LeaveDOCA + "\ntest -s /etc/openvswitch/conf.db.doca")
	l := c.apply(t, submode.SM1, "ovs-system")
	if _, err := c.prove(t, l); err != nil {
		t.Error(err)
	}
	must.Do(t, l.Undo(t.Context()))
	if is := c.shell("ovs-vsctl --timeout=10 port-to-br p0"); is != "ovsbr1\n" {
		t.Errorf("found p0 in %q", is)
	}
}

// TestForeignRules: rules of others in traffic control, and a switch that does not start anew, are
// refused, and the card is as it was.
func TestForeignRules(t *testing.T) {
	c := newCard(t)
	for _, f := range []fault{
		{
			name: "rules",
			before: "/usr/sbin/tc qdisc add dev p0 ingress; " +
				"/usr/sbin/tc filter add dev p0 parent ffff: protocol all u32 match u32 0 0 flowid 1:1",
			after: "/usr/sbin/tc qdisc del dev p0 ingress",
			words: []string{
				"no rules of others in traffic control at p0", "tc filter del dev p0 ingress",
			},
		},
		{
			name: "no restart", before: ":", after: ":", on: []string{"restart-never"},
			words: []string{"found the same ovs-vswitchd", "after a restart of openvswitch-switch"},
		},
	} {
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			c.shell(f.before)
			t.Cleanup(func() { c.shell(f.after) })
			before := c.snapshot()
			c.run(c.node(), "touch", state+"/fault-none")
			for _, name := range f.on {
				c.run(c.node(), "touch", state+"/fault-"+name)
			}
			_, err := mustNew(t, submode.SM4, sm4).Apply(t.Context(), c.node())
			if !has(err, f.words) {
				t.Errorf("found %v, want %q", err, f.words)
			}
			c.shell("rm " + state + "/fault-*")
			_, err = submode.Undo(t.Context(), c.node(), submode.BlueField)
			c.undone(t, err, before)
		})
	}
}

// TestHitsOfTwoPorts: the traffic of the card's second port is not that of the first one's load.
func TestHitsOfTwoPorts(t *testing.T) {
	c := newCard(t)
	first, err := carddevice.CPUHits(t.Context(), c.node(), "0000:03:00.0")
	if err != nil || first["p0"] != 10 {
		t.Fatalf("found %v, %v", first, err)
	}
	if _, other := first["p1"]; other {
		t.Errorf("found %v, want the first port's", first)
	}
}

// unproven are faults that only the evidence finds.
var unproven = []fault{
	{
		name: "other traffic", submode: submode.SM1, datapath: "ovs-system", on: []string{"other-traffic"},
		words: []string{"they still grow", "end the other traffic"},
	},
	{
		name: "flows on the CPU", submode: submode.SM4, datapath: sm4, on: []string{"not-offloaded"},
		words: []string{"the packets did not go through ovs-system-offload"},
	},
	{
		name: "rules not in hardware", submode: submode.SM4, datapath: sm4, on: []string{"not-in-hardware"},
		words: []string{"of rules that traffic control has in hardware"},
	},
	{
		name: "partly offloaded", submode: submode.SM5, datapath: "ovs-doca", on: []string{"partial"},
		words: []string{"in partially offloaded flows"},
	},
	{
		name: "polled", submode: submode.SM5, datapath: "ovs-doca", on: []string{"polled"},
		words: []string{"on a way that should not be taken"},
	},
}

// TestUnproven: a datapath that is up, but does not carry the packets, is not proven. Faults of one
// datapath share its lease.
func TestUnproven(t *testing.T) {
	c := newCard(t)
	leases := map[string]*submode.Lease{}
	for i := range unproven {
		f := &unproven[i]
		if leases[f.datapath] == nil {
			for _, l := range leases {
				must.Do(t, l.Undo(t.Context()))
			}
			leases = map[string]*submode.Lease{f.datapath: c.apply(t, f.submode, f.datapath)}
		}
		t.Run(f.name, func(t *testing.T) {
			c.t = t
			c.fault(t, f.on...)
			proof, err := c.prove(t, leases[f.datapath])
			if !has(err, f.words) {
				t.Errorf("found %v, want %q; %+v", err, f.words, proof)
			}
			t.Log(err)
		})
	}
}

// TestFlows: the flows that carried a load prove it where GRO joined packets of the wire, and where
// the counters rest only after more than the 10 s for which Open vSwitch keeps idle flows.
func TestFlows(t *testing.T) {
	c := newCard(t)
	l := c.apply(t, submode.SM1, "ovs-system")
	t.Run("idle", func(t *testing.T) {
		c.t = t
		if _, err := c.proveAfter(t, l, 15*time.Second); err != nil {
			t.Error(err)
		}
	})
	t.Run("GRO", func(t *testing.T) {
		c.t = t
		if c.Beside == "system" {
			c.shell("for p in p0 pf0hpf; do ethtool -K $p gro on; done")
		} else {
			c.fault(t, "gro")
		}
		proof := must.Get(c.prove(t, l))(t)
		came, joined := proof.Packets["came/p0"]+proof.Packets["came/pf0hpf"], proof.Packets["joined/flows"]
		if t.Logf("%v", proof.Packets); joined >= came {
			t.Errorf("found %d packets in the flows of %d that came in: GRO joined none", joined, came)
		}
	})
}

// TestTwoDatapaths: of two datapaths in the rehearsal's switch, a command must name one.
func TestTwoDatapaths(t *testing.T) {
	c := newCard(t)
	c.shell("ovs-vsctl --timeout=10 add-br ovsbr3 -- set bridge ovsbr3 datapath_type=netdev")
	_, err := c.node().Run(t.Context(), []string{"ovs-appctl", "dpctl/dump-flows"})
	if !has(err, []string{"multiple datapaths, specify one"}) {
		t.Errorf("found %v", err)
	}
}

// TestStaleCounters: the rehearsal's "ip -s link" is one read old.
func TestStaleCounters(t *testing.T) {
	c := newCard(t)
	read := func() string {
		return strings.TrimSpace(c.run(c.node(), "ip", "-j", "-s", "link", "show"))
	}
	first := read()
	c.shell(`/usr/sbin/ip link set dev p0 mtu 1400`)
	if second := read(); second != first {
		t.Error("the second read is not the first one's")
	}
	if third := read(); third == first {
		t.Error("the third read is the first one's")
	}
}

// TestSwitchDoesNotStart: where Open vSwitch does not start any more, the error has the service's
// words, and all but the start is taken back: no command waits for a switch that will not answer.
func TestSwitchDoesNotStart(t *testing.T) {
	c := newCard(t)
	before := c.snapshot()
	file := state + "/fault-init-fails"
	c.run(c.node(), "touch", file)
	_, err := mustNew(t, submode.SM2, "ovs-dpdk").Apply(t.Context(), c.node())
	if !has(err, []string{"Job for openvswitch-switch.service failed"}) {
		t.Errorf("found %v", err)
	}
	// The folder stays, for the start that is still owed.
	if after := strings.Replace(c.snapshot(), "dpukv\n", "", 1); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	c.run(c.node(), "rm", file)
	_, err = submode.Undo(t.Context(), c.node(), submode.BlueField)
	c.undone(t, err, before)
}

// TestHostsMTU: a host with another MTU than the card's ports is named, and so is a way on which
// full packets are lost. The undo restores the MTU of a port that changed meanwhile.
func TestHostsMTU(t *testing.T) {
	c := newCard(t)
	l := must.Get(mustNew(t, submode.SM1, "ovs-system").Apply(t.Context(), c.node()))(t)
	must.Do(t, l.CheckFullSize(t.Context(), c.end("a"), c.end("b")))
	c.run(c.Node("b"), "ip", "link", "set", "dev", emulate.Uplink, "mtu", "1400")
	err := l.CheckFullSize(t.Context(), c.end("a"), c.end("b"))
	if !has(err, []string{"found an MTU of 1400 on node b's eth0", "on node b: ip link set dev eth0 mtu 1500"}) {
		t.Errorf("found %v", err)
	}
	c.run(c.Node("b"), "ip", "link", "set", "dev", emulate.Uplink, "mtu", "1500")
	c.shell("/usr/sbin/ip link set dev pf0hpf mtu 1400")
	err = l.CheckFullSize(t.Context(), c.end("a"), c.end("b"))
	if !has(err, []string{"found no answer from " + c.Address("b") + " to packets of the full size (MTU 1500)"}) {
		t.Errorf("found %v", err)
	}
	must.Do(t, l.Undo(t.Context()))
	if mtu := strings.TrimSpace(c.shell("cat /sys/class/net/pf0hpf/mtu")); mtu != "1500" {
		t.Errorf("undo left an MTU of %s, found before: 1500", mtu)
	}
}
