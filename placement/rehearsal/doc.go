// Package rehearsal is a machine that looks like a BlueField to dpukv, beside two hosts. The steps
// of the submodes, the evidence and the undo run there as they would run on a card. They are no
// proof that a card behaves so. "dpukv testbed rehearse" plays a first day with cards on it. The
// tests have the build tag card.
//
// Real are:
//
//   - the ports p0 and pf0hpf, the hosts at their other ends, and all packets
//   - Open vSwitch (Debian's), with a second bridge, ovsbr2
//   - Open vSwitch's kernel datapath, and its rules in traffic control, where the kernel has them
//   - DPDK (Debian's): OvS-DPDK and testpmd forward, over AF_PACKET
//   - the journal, the files of the pools of huge pages, and the mount of hugetlbfs
//
// Emulated are the tree of PCI devices in /sys, ssh, and these programs in a folder of PATH. They
// print the transcripts of a release, where there are some, and else words after the documents:
//
//	program       emulates
//	mlxconfig     the card's mode
//	devlink       the eSwitch in switchdev mode
//	systemctl     a restart of the private Open vSwitch
//	ethtool       the counters of mlx5, from those of the interface; hw-tc-offload
//	ip            counters that are one read old, as mlx5 returns them
//	tc            the rules in an eSwitch: the switch's own, or one with the interface's counts
//	ovs-vsctl     devices of DPDK: AF_PACKET for mlx5; the columns of OVS-DOCA
//	ovs-appctl    flows in an eSwitch
//	dpdk-testpmd  lies where a BlueField's image has it; its devices are AF_PACKET
//
// A kernel may lack Open vSwitch's datapath. There, ovs-vsctl and ovs-appctl put the datapath in
// user space in the place of the kernel's, and ovsbr2 has a dummy one of its own. Elsewhere both
// bridges lie on the kernel's, as on NVIDIA's images. TestCard of package guest runs the tests for
// which this matters on such a kernel. With SUBMODE_REQUIRE=ovs-system, a kernel without it fails
// them.
//
// A test of what a card lacks switches one fault on, and expects the right words.
//
// So the rehearsal says nothing about DPDK's driver for mlx5, about DOCA, and about the eSwitch:
// where a submode offloads, Open vSwitch forwards on the CPU, and the programs above tell its
// counts as an eSwitch's.
package rehearsal
