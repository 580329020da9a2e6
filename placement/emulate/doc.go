// Package emulate makes a testbed of hosts and DPUs out of network namespaces on this machine, and
// removes it again in any case. A prefix to a command runs it on one of the machines ([Lab.Argv]).
// So for its users these machines differ from others only in how they are reached.
//
// # Topology
//
// Off-path, a host and its DPU are two peers on the network, behind a card that switches (a
// namespace with a bridge). Two sides are connected back to back, as in the study. More sides are
// connected by a switch:
//
//	host-a  eth0 ── pf0 ┐                       ┌ pf0 ── eth0  host-b
//	                card-host-a  wire ── wire  card-host-b
//	dpu-a   eth0 ── dpu0┘                       └dpu0 ── eth0  dpu-b
//
// So CH-SH crosses both cards and the wire, CD-SH avoids host A's interface, and L-CD-SH crosses
// only card B.
//
// On-path (Machine.OnPath), the server's DPU is the only way to its host. Its namespace holds both
// interfaces, like a BlueField's Arm side, and only a datapath connects them. Machine.Direct is the
// baseline:
//
//	card-host-a  wire ── p0  dpu-b  pf0hpf ── eth0  host-b        on-path
//	card-host-a  wire ── eth0  host-b                             direct
//
// Machines have the addresses 198.18.0.1, 198.18.0.2, … in the order of the spec. IPv6 is off. So
// interfaces send nothing by themselves but ARP, and counters are evidence.
//
// # Offloads
//
// With offloads on, every interface leaves checksums and segmentation to the next one. The data of
// one send crosses the lab in one piece; a NIC does the same for its host. With offloads off, the
// sender's kernel does both.
//
// With offloads on, datapaths on raw sockets (AF_PACKET, AF_XDP) lose TCP, and the other datapaths
// move larger packets than those. So a lab with an on-path DPU has them off by default, and a
// comparison needs the same setting on both sides. Receive offload (GRO) stays as the kernel sets
// it for veth. Before Linux 6.11, UDP in trains (UDP_SEGMENT) needs offloads on.
//
// # Cores
//
// A profile (profiles/*.yaml) gives the number of a DPU's cores, and each core's strength relative
// to one of this machine. The kernel's control groups then give a DPU's processes that much CPU
// time in every 10 ms ([Lab.SetCores]). This differs from weaker cores, so a result must say that
// it comes from a lab:
//
//   - A thread runs at full speed until its share is used up, then stands still until the next 10
//     ms. Means are those of a weak core, tail latencies are not.
//   - Caches, memory and instructions are this machine's. The strength is one number from one
//     benchmark.
//   - The kernel delivers a packet on the sender's CPU time, up to the receiver's socket. So hosts
//     pay for some of a DPU's work, and the other way round.
//   - All machines share this machine's CPUs. A profile with more cores than that has a note
//     ([MachineFacts].Notes).
//
// A link is as fast as virtual interfaces are. A token bucket on the wire enforces the profile's
// rate, but only where the rate is below that speed.
//
// # The end
//
// A lab ends with the process that made it, unless Lab.Stand lets it stand until [Standing.End]. A
// process of its own, the keeper, holds everything. Package keeper describes the cleanup after each
// kind of end. A lab needs nothing of the machine's file system, and its network namespaces and
// interfaces have no names outside.
//
// Without root, a lab works in a user namespace, where the kernel lets users make one. CPU quotas
// then need a control group that belongs to the user ([Start] says how).
package emulate
