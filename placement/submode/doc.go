// Package submode sets a DPU's datapath on-path, in one of the study's submodes (ICS '25, §2): it shows the commands first,
// runs them on the DPU's node, proves from counters which datapath carried the packets, and takes everything back.
//
//	name       datapath on a BlueField                 on plain Linux, the first that the node has, or the one asked for
//	off-path   none: host and DPU are peers            none
//	direct     –                                       none: the hosts' cable has nothing between
//	sm1        OvS, kernel datapath                    ovs-system, else ovs-netdev (or, asked for, bridge)
//	sm2        OvS-DPDK                                ovs-dpdk (af_packet; or, asked for, af_xdp)
//	sm3        testpmd, io                             testpmd (af_packet; or, asked for, af_xdp)
//	sm4        OvS, kernel, offloaded to the eSwitch   ovs-flower, else tcx, else tc-u32
//	sm5        OvS-DPDK, offloaded to the eSwitch      the same as sm4: there is one stand-in for an eSwitch
//
// Whatever stands in for another thing is named so in the [Proof] that goes with every result.
//
// # Steps
//
// A datapath is a list of [Step]: commands of the system's own tools, each with how its output is judged and the
// command that takes it back. [Submode.Plan] prints them. [Submode.Apply] writes each step's way back into a journal on
// the node before it runs the step:
//
//	orchestrator                             node
//	    ├─ leftovers of an earlier apply ──────▶│  its journal, from the end
//	    ├─ check: tools, ports, MTU ───────────▶│
//	    ├─ way back, then the step; … ─────────▶│  /run/dpukv/submode/net-MARK/undo
//	    ├─ verify: is it up? ──────────────────▶│
//
// So whoever comes next can undo what an orchestrator that was killed left: nothing has to be
// remembered here. In the folder lie also the sockets, PIDs, logs and the database of an Open
// vSwitch of our own: the system's is not touched on plain Linux.
//
// On a BlueField the system's Open vSwitch owns the hardware, and there is only one: our bridge in it carries a mark, and a port that is
// in somebody's bridge is refused.
//
// # Whose journal it is
//
// A folder belongs to one instance of a network namespace. It is found by a mark in the namespace:
// a second name (altname) of its loopback, dpukv-MARK. Each port has such a name, too. The kernel
// forgets a mark with the namespace or the interface. Their inodes, indices and names it gives away
// again. So:
//
//   - A namespace without the mark has nothing to undo, whatever its inode. A folder that was left
//     in one that had the same inode is told of.
//   - What was set on a port is taken back only on the interface that has the mark, not on another
//     one of that name.
//   - A way back looks first. A flag or key that somebody changed since is left alone. So is a
//     filter at our preference that is not the one that was made, and a place for filters that is
//     not empty.
//   - A BlueField's folder outlives a restart. It names the machine and the card, and is refused on
//     another.
//
// A bridge or table of our name (dpukv0) is ours, because a step that makes one wants none before.
//
// # Evidence
//
// A datapath that is up is no evidence: packets may pass it by. [Lease.Evidence] reads counters
// before and after the load, and [ProveLoad] compares them:
//
//	moved   bytes and packets that the ends of the load moved, by their own counts
//	came    packets that came in at both ports, by the interfaces' counters
//	left    packets that went out of them
//	carried packets that the datapath says it took
//
// What was moved must have come to each port, each way, with little beside it ([Ends.Compare]). The
// clients' kernel tells what its TCP sockets sent, what the server acknowledged, and what came back
// (TCP_INFO). A softroce device counts its own packets. The server's node tells the same of its
// end, but of a server that ran already. Nearly all that came must have been carried, and as many
// left as came: twice as many leave where something else forwards too. Counters of a way that
// should not have been taken must not grow. In submode direct, the server's interface is the only
// one to look at.
//
// A share is never told too low, also where an interface counts many of the wire's packets as one
// (GRO, TSO), or packets were lost and sent again. What the evidence can't tell:
//
//   - A way that takes little. One with a fifth of a TCP load is seen for certain, or with half of
//     a load of the smallest datagrams, in which headers weigh more.
//   - A way that takes as much as other traffic brings, up to a quarter of the load. More is
//     refused.
//   - What a NIC's port counts of RDMA: others use the port, too. Then the ports are not compared
//     with the ends, and the point has a warning.
//   - What happened before the warm-up.
//   - What somebody does who may change counters, or the load's programs.
package submode
