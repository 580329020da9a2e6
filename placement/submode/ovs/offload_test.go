package ovs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"dpukv/internal/test/transcript"
	"dpukv/placement/submode/step"
)

// offloadDumped is the form of "dpctl/dump-flows -m" in Open vSwitch (lib/dpctl.c), with
// the flows of two bridges in one datapath.
const offloadDumped = `flow-dump from pmd on cpu core: 1
ufid:6f1c2d3e-0001-0002-0003-000000000001, recirc_id(0),in_port(p0),packet_type(ns=0,id=0),eth_type(0x0800), packets:100, bytes:10000, used:0.010s, offloaded:yes, dp:dpdk, actions:pf0hpf
ufid:6f1c2d3e-0001-0002-0003-000000000002, recirc_id(0),in_port(pf0hpf),eth_type(0x0800), packets:30, bytes:3000, used:0.010s, offloaded:partial, dp:ovs, actions:p0, dp-extra-info:miniflow_bits(4,1)
ufid:6f1c2d3e-0001-0002-0003-000000000003, recirc_id(0),in_port(p1),eth_type(0x0800), packets:500, bytes:50000, used:0.010s, offloaded:yes, dp:dpdk, actions:pf1hpf
ufid:6f1c2d3e-0001-0002-0003-000000000004, recirc_id(0),in_port(p0),eth_type(0x86dd), packets:9, bytes:126, used:1.010s, offloaded:yes, dp:dpdk, actions:drop
flow-dump from pmd on cpu core: 2
ufid:6f1c2d3e-0001-0002-0003-000000000002, recirc_id(0),in_port(pf0hpf),eth_type(0x0800), packets:5, bytes:500, used:0.010s, offloaded:partial, dp:ovs, actions:p0
ufid:6f1c2d3e-0001-0002-0003-000000000005, recirc_id(0),in_port(p0),eth_type(0x0806), packets:3, bytes:126, used:1.010s, dp:ovs, actions:pf0hpf
ufid:6f1c2d3e-0001-0002-0003-000000000006, recirc_id(0),in_port(p0),eth_type(0x0800), packets:7, bytes:700, used:0.010s, offloaded:yes, dp:ovs, actions:pf0hpf
`

func TestOffload(t *testing.T) {
	o := parseOffload(offloadDumped, []string{"p0", "pf0hpf"})
	const id = "6f1c2d3e-0001-0002-0003-00000000000"
	for name, c := range map[string]struct{ got, want FlowCounts }{
		"hardware": {o.Hardware, FlowCounts{id + "1": {100, 10000}}},
		"partial":  {o.Partial, FlowCounts{id + "2": {35, 3500}, id + "6": {7, 700}}},
		"CPU":      {o.CPU, FlowCounts{id + "5": {3, 126}}},
	} {
		if !maps.Equal(c.got, c.want) {
			t.Errorf("%s: found %v, want %v", name, c.got, c.want)
		}
	}
	if p, b := o.Partial.Packets(), o.Partial.Bytes(); p[id+"2"] != 35 || b[id+"2"] != 3500 {
		t.Errorf("found %v packets, %v bytes", p, b)
	}
}

// TestDatapathNamed: a switch with two datapaths refuses a command that names none.
func TestDatapathNamed(t *testing.T) {
	n := step.Node{Name: "dpu", Run: func(_ context.Context, argv []string) (string, error) {
		if !slices.Contains(argv, NetdevDatapath) && !slices.Contains(argv, KernelDatapath) {
			return "", errors.New("ovs-vswitchd: multiple datapaths, specify one")
		}
		return offloadDumped, nil
	}}
	s := Switch{Bridge: "dpukv0"}
	if o, err := s.Offload(t.Context(), n, NetdevDatapath, []string{"p0"}); err != nil || len(o.Hardware) != 1 {
		t.Errorf("found %+v, %v", o, err)
	}
	if flows, err := s.RuleFlows(t.Context(), n); err != nil || flows == nil {
		t.Errorf("found %v, %v", flows, err)
	}
}

// TestFlowsByNumber: a switch may print ports' numbers, which another command has names for.
func TestFlowsByNumber(t *testing.T) {
	flows := transcript.Read(t, transcripts+"dump-flows-numbers.txt")
	const shown = "  lookups: hit:1\n  port 0: ovs-system (internal)\n  port 3: p0\n"
	o := parseOffload(namePorts(flows, shown), []string{"p0"})
	if len(o.Hardware) != 1 {
		t.Errorf("found %+v", o)
	}
	if o := parseOffload(namePorts(flows, ""), []string{"p0"}); len(o.Hardware) != 0 {
		t.Errorf("without names: found %+v", o)
	}
}

// TestFlowsOfDPDK: full offload and the ports' names are as OvS-DPDK prints them.
func TestFlowsOfDPDK(t *testing.T) {
	o := parseOffload(transcript.Read(t, transcripts+"dump-flows-dpdk.txt"), []string{"p0", "pf0hpf"})
	if len(o.Hardware) != 2 || len(o.CPU)+len(o.Partial) != 0 {
		t.Errorf("found %+v", o)
	}
}

const transcripts = "../testdata/transcripts/undated/"

// TestDumpFlowsOfACard reads the flows of a BlueField's kernel datapath, without and with offload.
func TestDumpFlowsOfACard(t *testing.T) {
	ports := []string{"p0", "pf0hpf"}
	for file, place := range map[string]func(*Offload) FlowCounts{
		"dpctl-dump-flows-software.txt":  func(o *Offload) FlowCounts { return o.CPU },
		"dpctl-dump-flows-offloaded.txt": func(o *Offload) FlowCounts { return o.Hardware },
	} {
		out := transcript.Read(t, transcripts+file)
		want := map[string]FlowCounts{
			"dpctl-dump-flows-software.txt": {
				"e4bf5f62-950e-4ce2-bfca-f920f44e6011": {378236, 24984484},
				"62ee55cf-1f21-4737-89c9-734497087b7c": {1371154, 49923498601},
			},
			"dpctl-dump-flows-offloaded.txt": {
				"ae7ab84e-142c-4def-b037-e808e4a9ddec": {448444, 29597412},
				"58077485-7b54-4fff-ac7d-ff00baa236c0": {43572326, 65933288777},
			},
		}[file]
		o := parseOffload(out, ports)
		if got := place(o); !maps.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", file, got, want)
		}
		if n := len(o.CPU) + len(o.Hardware) + len(o.Partial); n != len(want) {
			t.Errorf("%s: found %d flows, want %d", file, n, len(want))
		}
	}
}

// TestUserspaceDatapath: OVS-DOCA may have a datapath of its own, whose name the commands take.
func TestUserspaceDatapath(t *testing.T) {
	const doca, netdev, kernel = "doca@ovs-doca", NetdevDatapath, KernelDatapath
	line := func(name string) string { return name + ": hit:1 missed:2\n  ovsbr2:\n    p1 1/3: (system)\n" }
	for out, want := range map[string]string{
		transcript.Read(t, transcripts+"dpctl-show-doca.txt"): doca,
		transcript.Read(t, transcripts+"dpif-show.txt"):       "", // the kernel's alone
		line(kernel) + line(netdev):                           netdev,
		line(kernel) + line(netdev) + line(doca):              doca,
		line(doca) + line(netdev):                             doca,
		"":                                                    "",
	} {
		got, err := parseUserspace(out)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("found %q, %v, want %q of:\n%s", got, err, want, out)
		}
	}
}
