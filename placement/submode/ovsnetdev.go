package submode

import (
	"context"

	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/step"
)

// ovsNetdev is Open vSwitch without the kernel's datapath and without DPDK.
var ovsNetdev = &datapath{
	name: "ovs-netdev", target: Linux, submodes: []string{SM1},
	title:      "Open vSwitch, netdev datapath over AF_PACKET",
	substitute: "for OvS's kernel datapath: it forwards in user space",
	pidFiles:   []string{ovs.VswitchdPID}, forwarder: ovsNetdevForwarder{},
}

type ovsNetdevForwarder struct{ ownForwarder }

func (ovsNetdevForwarder) Check(s *setup) []step.Step { return ownSwitch(s).Check() }

func (ovsNetdevForwarder) Steps(s *setup) []step.Step {
	own := ownSwitch(s)
	add := own.BridgePorts("netdev", s.ports(), nil)
	add.Run = withLargeSockets(add.Run)
	add.Purpose += ", its sockets with 8 MB each where the machine's first network namespace, " +
		"which sets that, is in reach"
	list := own.Start(&ovs.StartOptions{Program: ovs.Vswitchd, CPUs: s.CPUs})
	return append(append(list, add), own.Drop(&s.Filter, Requests())...)
}

// Count counts the packets of the main thread: this thread forwards.
func (ovsNetdevForwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) error {
	_, main, err := ownSwitch(s).Received(ctx, n, ovs.NetdevDatapath)
	if err != nil {
		return err
	}
	c.Carried[userspaceDatapath] = main
	dropped, err := ownSwitch(s).Dropped(ctx, n, &s.Filter)
	c.drop(dropped, userspaceDatapath)
	return err
}

// userspaceDatapath is the datapath's name in evidence.
const userspaceDatapath = "ovs"

// withLargeSockets runs a command while sockets get receive buffers of 8 MB. With the default,
// AF_PACKET sockets drop packets. The setting holds for the whole machine. Only the machine's first
// namespace can change it (and, with older kernels, shows it), and only one process of ours changes
// it at a time. In some containers that namespace is out of reach, and the sockets keep the
// default.
func withLargeSockets(argv []string) []string {
	return append(step.Shell(`
exec 9</run
flock 9
there() { nsenter --target 1 --net sysctl "$@"; }
resize() { there -qw net.core.rmem_default="$1"; }
old=$(there -n net.core.rmem_default) || exec "$@"
trap 'resize "$old"' EXIT
trap 'exit 1' HUP INT TERM
resize 8388608
"$@"`), argv...)
}
