package submode

import (
	"context"
	"fmt"
	"strconv"

	"dpukv/placement/submode/dpdk"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/step"
)

// DPDK's own forwarder, over the two drivers for the kernel's interfaces.
var (
	testpmd = &datapath{
		name: "testpmd", target: Linux, submodes: []string{SM3},
		title:    "dpdk-testpmd, io forwarding over AF_PACKET",
		pidFiles: []string{dpdk.TestpmdPID}, filterTitle: dpdk.FilterTitle,
		forwarder: testpmdForwarder{dpdk.AFPacket},
	}
	testpmdXDP = &datapath{
		name: "testpmd-xdp", target: Linux, submodes: []string{SM3}, onlyAsked: true,
		title:    "dpdk-testpmd, io forwarding over AF_XDP",
		pidFiles: []string{dpdk.TestpmdPID}, filterTitle: dpdk.FilterTitle,
		forwarder: testpmdForwarder{dpdk.AFXDP},
	}
)

type testpmdForwarder struct{ driver *dpdk.Driver }

func (f testpmdForwarder) Check(*setup) []step.Step {
	return []step.Step{step.Program("dpdk-testpmd", "dpdk-dev"), f.driver.Check()}
}

func (f testpmdForwarder) Steps(s *setup) []step.Step {
	t := newTestpmd(s)
	house, poll := s.CPUs[0], s.CPUs[len(s.CPUs)-1]
	argv := []string{
		"dpdk-testpmd", "--no-huge", "-m", "256", "--no-pci", "--iova-mode=va", "--no-telemetry",
		t.FilePrefix(), "--lcores", fmt.Sprintf("0@%d,1@%d", house, poll),
	}
	for i, port := range s.ports() {
		argv = append(argv, "--vdev", f.driver.Device(strconv.Itoa(i), port))
	}
	argv = append(argv, "--", "-i", "--forward-mode=io", "--nb-cores=1", "--total-num-mbufs=16384",
		"--no-mlockall", "--auto-start")
	return append(f.driver.Release(s.ports()), t.Start(argv)...)
}

func (testpmdForwarder) Verify(s *setup) []step.Step { return newTestpmd(s).Verify() }

func (testpmdForwarder) Count(ctx context.Context, s *setup, n step.Node, c *Counts) (err error) {
	c.Carried, c.Dropped, err = newTestpmd(s).Count(ctx, n)
	return err
}

func (testpmdForwarder) Filter(f *packetfilter.Filter) error { return dpdk.CheckFilter(f) }

func newTestpmd(s *setup) *dpdk.Testpmd {
	return &dpdk.Testpmd{
		Dir: s.dir, Prefix: s.prefix(), Ports: s.ports(), Filter: &s.Filter, Requests: Requests(),
	}
}
