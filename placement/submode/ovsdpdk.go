package submode

import (
	"context"
	"fmt"
	"slices"

	"dpukv/placement/submode/dpdk"
	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// Open vSwitch with DPDK, over the two drivers for the kernel's interfaces.
var (
	ovsDPDK = &datapath{
		name: "ovs-dpdk", target: Linux, submodes: []string{SM2}, title: "OvS-DPDK over AF_PACKET",
		pidFiles: []string{ovs.VswitchdPID}, forwarder: ovsDPDKForwarder{driver: dpdk.AFPacket},
	}
	ovsDPDKXDP = &datapath{
		name: "ovs-dpdk-xdp", target: Linux, submodes: []string{SM2}, title: "OvS-DPDK over AF_XDP",
		onlyAsked: true,
		pidFiles:  []string{ovs.VswitchdPID}, forwarder: ovsDPDKForwarder{driver: dpdk.AFXDP},
	}
)

type ovsDPDKForwarder struct {
	ownForwarder
	driver *dpdk.Driver
}

func (ovsDPDKForwarder) Check(s *setup) []step.Step {
	return append(ownSwitch(s).Check(), step.Step{
		Purpose: "OvS-DPDK", Run: []string{"test", "-x", ovs.VswitchdDPDK},
		Advice: "install Debian's openvswitch-switch-dpdk and " +
			"librte-net-af-packet23, librte-net-af-xdp23",
	})
}

func (f ovsDPDKForwarder) Steps(s *setup) []step.Step {
	own := ownSwitch(s)
	define := func(port string) []string {
		devargs := f.driver.Device("_"+port, port)
		return []string{
			"type=dpdk", "options:dpdk-devargs=" + ovs.Quote(devargs),
			"options:n_rxq=1",
		}
	}
	return slices.Concat(
		f.driver.Release(s.ports()),
		own.Start(&ovs.StartOptions{Program: ovs.VswitchdDPDK, Config: f.config(s)}),
		[]step.Step{own.BridgePorts("netdev", s.ports(), define)},
		own.Drop(&s.Filter, Requests()))
}

func (ovsDPDKForwarder) config(s *setup) []string {
	return []string{
		"dpdk-init=true",
		"dpdk-lcore-mask=" + process.CPUMask(s.CPUs[:1]),
		"pmd-cpu-mask=" + process.CPUMask(s.polling()),
		fmt.Sprintf("pmd-maxsleep=%d", s.MaxSleep.Microseconds()),
		"dpdk-extra=" + ovs.Quote("--no-huge --legacy-mem --no-pci --iova-mode=va -m 512 "+
			"--file-prefix="+s.prefix()+" --no-telemetry"),
	}
}

// Count counts the packets of threads that poll: these threads forward.
func (ovsDPDKForwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) error {
	threads, main, err := ownSwitch(s).Received(ctx, n, ovs.NetdevDatapath)
	if err != nil {
		return err
	}
	c.Carried[userspaceDatapath], c.Elsewhere["its main thread"] = threads, main
	dropped, err := ownSwitch(s).Dropped(ctx, n, &s.Filter)
	c.drop(dropped, userspaceDatapath)
	return err
}
