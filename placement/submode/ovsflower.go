package submode

import (
	"context"

	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/step"
)

// ovsFlower is Open vSwitch with offloaded flows. Without an eSwitch, it offloads them to the
// kernel's traffic control.
var ovsFlower = &datapath{
	name: "ovs-flower", target: Linux, submodes: []string{SM4, SM5},
	title: "Open vSwitch with hw-offload, tc flower rules in the kernel",
	substitute: "for the eSwitch: the rules are offloaded to the kernel's traffic control, " +
		"by tc-policy=skip_hw; the same for SM4 and SM5",
	pidFiles: []string{ovs.VswitchdPID}, inKernel: true, forwarder: ovsFlowerForwarder{},
}

type ovsFlowerForwarder struct{ ownForwarder }

func (ovsFlowerForwarder) Check(s *setup) []step.Step {
	return append(ownSwitch(s).CheckKernel(), step.Step{
		Purpose: "a kernel with traffic control's flower and mirred",
		Run: step.Shell(`exec unshare --net sh -euc '
ip link add name v0 type veth peer name v1
tc qdisc add dev v0 ingress
tc filter add dev v0 ingress protocol ip flower skip_hw dst_ip 192.0.2.1 ` +
			`action mirred egress redirect dev v1'`),
		Advice: "a kernel with the modules cls_flower and act_mirred, as Debian's has",
	})
}

func (ovsFlowerForwarder) Steps(s *setup) (list []step.Step) {
	for _, port := range s.ports() {
		list = append(list,
			step.Step{
				Purpose: "the place for rules on " + port + ", removed at the end if it is empty",
				Undo:    removeEmptyIngress(port), Port: port,
			},
			// Open vSwitch gives each action of its rules a cookie: the rule's UUID.
			step.Step{
				Purpose: "Open vSwitch's rules in traffic control on " + port +
					", removed at the end",
				Undo: step.Shell(`
tc filter show dev "$1" ingress | awk '
	/^filter / { rule = "" }
	/^filter / && $6 == "flower" && $9 == "handle" {
		rule = "protocol " $3 " pref " $5 " chain " $8 " handle " $10 " flower"
	}
	/^[ \t]*cookie [0-9a-f]+/ && length($2) == 32 && rule != "" { print rule; rule = "" }' |
while read -r rule; do
	tc filter del dev "$1" ingress $rule || :
done`, port),
				Port: port,
			})
	}
	return append(list, kernelSwitch(s, &ovs.StartOptions{
		Program: ovs.Vswitchd, CPUs: s.CPUs,
		Initial:        []string{"hw-offload=true", "tc-policy=skip_hw"},
		InitialPurpose: "a configuration with hw-offload, its rules in the kernel",
	})...)
}

// Count reads the rules' own counts. Packets that the kernel datapath looked up bypassed the rules.
func (ovsFlowerForwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) (err error) {
	if c.Elsewhere[kernelDatapath], err = ownSwitch(s).Lookups(ctx, n); err != nil {
		return err
	}
	if c.Flows, err = ownSwitch(s).RuleFlows(ctx, n); err != nil {
		return err
	}
	c.Dropped, err = ownSwitch(s).Dropped(ctx, n, &s.Filter)
	return err
}
