package submode

import (
	"context"

	"dpukv/placement/submode/dpdk"
	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// blueFieldDOCA is OVS-DOCA, the third datapath of NVIDIA's Open vSwitch beside the kernel's and
// DPDK's. It is used only on request: the study's SM5 is OvS-DPDK.
var blueFieldDOCA = &datapath{
	name: "ovs-doca", target: BlueField, submodes: []string{SM5},
	title:    "OVS-DOCA, offloaded to the eSwitch",
	pidFiles: []string{ovs.SystemPID}, inKernel: true, onlyAsked: true,
	forwarder: cardDOCA{},
}

// cardDOCA is our bridge in a system's Open vSwitch that runs OVS-DOCA. Its ports have DPDK's type.
// So only the switch itself tells OVS-DOCA and OvS-DPDK apart.
type cardDOCA struct{ byRules }

func (cardDOCA) Check(s *setup) []step.Step {
	return append(checkCard(s), systemSwitch.KnowsDOCA(), cardHugePages(ovs.SystemPID, dpdk.Always))
}

// Steps follow NVIDIA's documentation of OVS-DOCA. It needs no dpdk-init and no dpdk-extra, and
// finds its devices by the ports' names.
func (cardDOCA) Steps(s *setup) []step.Step {
	list := append(takeOver(s),
		otherConfig("hw-offload", "true"),
		keepIdleFlows(),
		otherConfig("pmd-cpu-mask", process.CPUMask(s.polling())),
		otherConfig("doca-init", "true"),
		restartNow())
	list = append(append(list, noForeignRules(s)...),
		addCardBridge("netdev", s.ports(), func(string) []string { return []string{"type=dpdk"} }))
	return append(list, systemSwitch.Drop(&s.Filter, Requests())...)
}

func (cardDOCA) Verify(s *setup) []step.Step {
	list := append(verifyCardBridge(s, true), systemSwitch.Runs(ovs.DOCA))
	return append(list, verifyMTU(s)...)
}

// Count takes the flows in the eSwitch as carried. Flows that a CPU forwards, and packets that
// reach the kernel or the threads that poll, take a way that they must not take. The threads also
// serve the card's other bridges. Count fails where the switch does not run OVS-DOCA any more.
func (cardDOCA) Count(ctx context.Context, s *setup, n step.Node, c *Counts) (err error) {
	if c.Program, err = systemSwitch.Running(ctx, n, ovs.DOCA); err != nil {
		return err
	}
	datapath, err := systemSwitch.UserspaceDatapath(ctx, n)
	if err != nil {
		return err
	}
	flows, err := systemSwitch.Offload(ctx, n, datapath, s.ports())
	if err != nil {
		return err
	}
	c.kernel()
	c.Flows, c.Stray = flows.Hardware.Packets(), flows.CPU.Packets()
	c.Partial = flows.Partial.Packets()
	threads, main, err := systemSwitch.Received(ctx, n, datapath)
	if err != nil {
		return err
	}
	c.Elsewhere["threads that poll"] = threads + main
	c.Dropped, err = systemSwitch.Dropped(ctx, n, &s.Filter)
	return err
}
