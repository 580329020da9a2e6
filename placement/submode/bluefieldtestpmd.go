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
	return append(checkCard(s),
		systemSwitch.WithoutDOCA(), dpdk.FindTestpmd(), cardHugePages("", dpdk.WhereNotMounted))
}

// cardHugePages checks for huge pages. It makes none: they would be taken from all other programs.
// A DPDK that lacks them ends its process: with Open vSwitch, all bridges of the card.
func cardHugePages(freedBy string, inMemory dpdk.InMemory) step.Step {
	const mebibytes = 1024 // the study reserves 2,048 pages of 2 MiB, a fourth is needed
	return dpdk.HugePages(mebibytes, freedBy, inMemory)
}

func (cardTestpmd) Steps(s *setup) []step.Step {
	t := newTestpmd(s)
	t.OnCard = true
	list := append(append(keepMTU(s), takePorts(s)...), noForeignRules(s)...)
	return append(list, t.Start([]string{
		"dpdk-testpmd", "-v", "-l", process.CPUList(s.CPUs), "-a", s.PCI + ",representor=[65535]",
		t.FilePrefix(), "--", "-i", "--forward-mode=io",
		fmt.Sprintf("--nb-cores=%d", min(len(s.ports()), len(s.CPUs)-1)),
		"--total-num-mbufs=131000", "--auto-start",
	})...)
}

func (cardTestpmd) Verify(s *setup) []step.Step { return newTestpmd(s).Verify() }

func (cardTestpmd) Count(ctx context.Context, s *setup, n step.Node, c *Counts) (err error) {
	t := newTestpmd(s)
	if c.Program, err = t.Program(ctx, n); err == nil {
		c.Carried, c.Dropped, err = t.Count(ctx, n)
	}
	c.kernel()
	return err
}

func (cardTestpmd) Filter(f *packetfilter.Filter) error { return dpdk.CheckFilter(f) }
