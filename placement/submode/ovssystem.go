package submode

import (
	"context"

	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// ovsSystem is Open vSwitch with the kernel datapath.
var ovsSystem = &datapath{
	name: "ovs-system", target: Linux, submodes: []string{SM1},
	title:    "Open vSwitch, kernel datapath",
	pidFiles: []string{ovs.VswitchdPID}, inKernel: true, forwarder: ovsSystemForwarder{},
}

type ovsSystemForwarder struct{ ownForwarder }

func (ovsSystemForwarder) Check(s *setup) []step.Step { return ownSwitch(s).CheckKernel() }

func (ovsSystemForwarder) Steps(s *setup) []step.Step {
	return kernelSwitch(s, &ovs.StartOptions{Program: ovs.Vswitchd, CPUs: s.CPUs})
}

func (ovsSystemForwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) error {
	lookups, err := ownSwitch(s).Lookups(ctx, n)
	if err != nil {
		return err
	}
	c.Carried[kernelDatapath] = lookups
	dropped, err := ownSwitch(s).Dropped(ctx, n, &s.Filter)
	c.drop(dropped, kernelDatapath)
	return err
}

// kernelDatapath is the datapath's name in evidence.
const kernelDatapath = "kernel datapath"

// ownSwitch is an Open vSwitch in the setup's folder.
func ownSwitch(s *setup) ovs.Switch { return ovs.Switch{Dir: s.dir, Bridge: bridgeName} }

// ownForwarder is what all datapaths of an Open vSwitch of our own do alike.
type ownForwarder struct{ byRules }

func (ownForwarder) Verify(s *setup) []step.Step { return ownSwitch(s).Verify(s.ports()) }

// byRules filters by rules in our bridge.
type byRules struct{}

func (byRules) Filter(f *packetfilter.Filter) error { return ovs.CheckFilter(f) }

// kernelSwitch starts a switch with a kernel datapath. The datapath outlives the switch, so it is
// removed at the end.
func kernelSwitch(s *setup, o *ovs.StartOptions) []step.Step {
	list := []step.Step{{
		Purpose: "what is in the kernel, taken out at the end",
		Undo: step.Shell(`ovs-dpctl dump-dps 2>/dev/null | grep -qx system@ovs-system || exit 0; ` +
			`exec ovs-dpctl del-dp ovs-system`),
	}}
	list = append(list, ownSwitch(s).Start(o)...)
	list = append(list, ownSwitch(s).BridgePorts("system", s.ports(), nil))
	return append(list, ownSwitch(s).Drop(&s.Filter, Requests())...)
}
