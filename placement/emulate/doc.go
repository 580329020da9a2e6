// Package emulate makes a testbed of hosts and DPUs out of network namespaces on this machine, and takes it away
// again whatever happens. A process runs on one of its machines by a prefix to its command ([Lab.Argv]), so
// everything above sees machines that differ from others in nothing but how they are reached.
//
// # Topology
//
// Off-path, a host and its DPU are two peers on the network, behind a card that switches (a namespace with a bridge).
// Two sides are joined back to back, as in the study; more, by a switch:
//
//	host-a  eth0 ── pf0 ┐                       ┌ pf0 ── eth0  host-b
//	                card-host-a  wire ── wire  card-host-b
//	dpu-a   eth0 ── dpu0┘                       └dpu0 ── eth0  dpu-b
//
// So CH-SH crosses both cards and the wire, CD-SH never host A's interface, and L-CD-SH only card B.
//
// On-path (Machine.OnPath), the server's DPU is the only way to its host. Its namespace holds both ends, as a
// BlueField's Arm side has them, and nothing joins them until a datapath does; Machine.Direct is the baseline:
//
//	card-host-a  wire ── p0  dpu-b  pf0hpf ── eth0  host-b        on-path
//	card-host-a  wire ── eth0  host-b                             direct
//
// Machines have the addresses 198.18.0.1, 198.18.0.2, … in the order of the spec. IPv6 is off: interfaces say
// nothing by themselves but ARP, so that counters are evidence.
//
// # Offloads
//
// On, every interface leaves checksums and segmentation to the next, and what one send handed over crosses the
// lab in one piece, which is what a NIC does for its host. Off, the sender's kernel does both. Datapaths on raw
// sockets (AF_PACKET, AF_XDP) lose TCP with them on, and the others would move larger packets than those: so a lab with an on-path
// DPU has them off unless told otherwise, and what is compared with it has to have the same. Receive offload (GRO) is
// left as the kernel has it for veth. Before Linux 6.11, UDP in trains (UDP_SEGMENT) needs them on.
//
// # Cores
//
// A profile (profiles/*.yaml) says how many cores a DPU has and how strong each is beside one of this machine. The
// kernel's control groups then give a DPU's processes that much CPU time in every 10 ms ([Lab.SetCores]). What that
// leaves different from a weaker core, and a result from a lab has to say that it is from one:
//
//   - a thread runs at full speed until its share is used up, then stands still until the next 10 ms: means are those
//     of a weak core, tail latencies are not;
//   - caches, memory and instructions are this machine's; the strength is one number from one benchmark;
//   - the kernel delivers a packet on the sender's CPU time, up to the receiver's socket: hosts pay for some of
//     what a DPU would, and the other way round;
//   - all machines share this one's CPUs, and a profile with more than there are says so ([MachineFacts].Notes).
//
// A link is as fast as virtual interfaces are. The profile's rate is enforced, by a token bucket on the wire, only
// where it is below that.
//
// # The end
//
// Unless it is to stand until [Standing.End] (Lab.Stand), a lab goes with the process that made it.
// A process of its own, the keeper, holds everything; package keeper tells how each way to end is cleaned up
// after. It needs nothing of the machine's file system, and network namespaces and interfaces have no names outside.
// Without root, it works in a user namespace where the kernel lets users make one; there, CPU quotas need a
// control group that is the user's ([Start] says how).
package emulate
