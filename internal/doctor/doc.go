// Package doctor looks for settings of this machine that spoil a measurement, and names the command
// that mends each. It changes nothing.
//
// # Verdicts
//
// Every check has one of three verdicts: ok; spoils, with the effect on a measurement and the
// commands that mend it; unknown, with the reason. An unreadable setting is never called ok: a
// container hides much of /sys, and only root sees the firewall.
//
//	emulator   the program is translated, instruction by instruction
//	governor   cores clock down when they have nothing to do
//	turbo      the clock depends on heat, and on how many cores are busy
//	smt        two CPUs share one core
//	quota      the control group takes CPU time away
//	load       others use the CPUs
//	clock      reading the time is slow
//	numa       the kernel moves pages between memory nodes meanwhile
//	hugepages  each access to a large table misses the TLB
//	memlock    an RDMA NIC may not pin the memory it is to use
//	sockets    bursts overflow the buffers
//	offloads   the CPU does the NIC's work
//	irqs       one CPU takes all interrupts, or they wander
//	firewall   every packet passes rules or connection tracking
//	order      a NIC makes the bytes of a WRITE visible in any order
//
// # Sources
//
// The doctor reads the facts of package machine and files below /proc, /sys and /etc. Three sources
// are no files: a NIC's features (ETHTOOL ioctl), its firmware's settings (the mlxconfig command),
// and nftables' chains (the nft command). All are fields of patient, so the tests examine machines
// made of recorded files.
//
// The findings go into the hello of every node, and so into a run folder's env.jsonl.
package doctor
