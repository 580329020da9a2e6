package submode

import (
	"context"
	"fmt"

	"dpukv/placement/submode/dpdk"
	"dpukv/placement/submode/packetfilter"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// blueFieldTestpmd is DPDK's own forwarder on the card's Arm cores.
var blueFieldTestpmd = &datapath{
	name: "testpmd", target: BlueField, submodes: []string{SM3},
	title:    "dpdk-testpmd, io forwarding on the Arm cores",
	pidFiles: []string{dpdk.TestpmdPID}, filterTitle: dpdk.FilterTitle, leastCPUs: 2,
	forwarder: cardTestpmd{},
}

type cardTestpmd struct{}

func (cardTestpmd) Check(s *setup) []step.Step {
	return append(checkCard(s), step.Program("dpdk-testpmd", "dpdk"), hugePages)
}

// hugePages checks for huge pages. It makes none: they would be taken from all other programs.
var hugePages = step.Step{
	Purpose: "512 free huge pages for its buffers",
	Run:     []string{"cat", "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"},
	Expect: func(out string) error {
		if len(out) < 3 || len(out) == 3 && out < "512" {
			return fmt.Errorf("found %s", out)
		}
		return nil
	},
	Advice: "by hand: echo 2048 >/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
}

func (cardTestpmd) Steps(s *setup) []step.Step {
	t := newTestpmd(s)
	return t.Start([]string{
		"dpdk-testpmd", "-l", process.CPUList(s.CPUs), "-a", s.PCI + ",representor=[65535]",
		t.FilePrefix(), "--", "-i", "--forward-mode=io",
		fmt.Sprintf("--nb-cores=%d", min(len(s.ports()), len(s.CPUs)-1)),
		"--total-num-mbufs=131000", "--auto-start",
	})
}

func (cardTestpmd) Verify(s *setup) []step.Step { return newTestpmd(s).Verify() }

func (cardTestpmd) Count(ctx context.Context, s *setup, n step.Node, c *Counts) (err error) {
	c.Carried, c.Dropped, err = newTestpmd(s).Count(ctx, n)
	return err
}

func (cardTestpmd) Filter(f *packetfilter.Filter) error { return dpdk.CheckFilter(f) }
