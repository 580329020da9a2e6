// Package submode sets a DPU's datapath on-path, in one of the study's submodes (ICS '25, §2). It
// shows the commands first, runs them on the DPU's node, proves from counters which datapath carried
// the packets, and takes everything back.
//
//	name       datapath on a BlueField             on plain Linux
//	off-path   none: host and DPU are peers        none
//	direct     –                                   none: the hosts' cable has nothing between
//	sm1        OvS, kernel datapath                ovs-system, else ovs-netdev; bridge
//	sm2        OvS-DPDK                            ovs-dpdk (af_packet); ovs-dpdk-xdp (af_xdp)
//	sm3        testpmd, io                         testpmd (af_packet); testpmd-xdp (af_xdp)
//	sm4        OvS, kernel, offloaded to eSwitch   ovs-flower, else tcx, else tc-u32
//	sm5        OvS-DPDK, offloaded to eSwitch      as sm4: there is one stand-in for an eSwitch
//
// On plain Linux, a node gets the first one that it can have. Those after a semicolon have to be
// asked for. Whatever stands in for another thing is named so in the [Proof] that goes with every
// result.
//
// # Steps
//
// A datapath is a value in the table of datapaths: a name and a forwarder, which makes lists of
// steps (package step). A step is a command of the system's own tools, with the check of its output
// and the command that takes it back. [Submode.Plan] prints the steps. [Submode.Apply] writes each
// step's undo record into a journal on the node (package journal) before it runs the step:
//
//	orchestrator                             node
//	    ├─ leftovers of an earlier apply ──────▶│  its journal, from the end
//	    ├─ check: tools, ports, MTU ───────────▶│
//	    ├─ undo record, then the step; … ──────▶│  /run/dpukv/submode/net-MARK/undo
//	    ├─ verify: is it up? ──────────────────▶│
//
// So whoever comes next can undo what a killed orchestrator left: nothing has to be remembered here.
// In the journal's folder lie also the sockets, PIDs, logs and the database of an Open vSwitch of our
// own: the system's is not touched on plain Linux. On a BlueField the system's Open vSwitch owns the
// hardware, and there is only one: our bridge in it carries a mark, and a port that is in somebody's
// bridge is refused.
//
// An undo record looks first. A flag or key that somebody changed since is left alone. So is a filter
// at our preference that is not the one that was made, and a place for filters that is not empty. A
// bridge or table of our name (dpukv0) is ours, because a step that makes one wants none before.
//
// # A new datapath
//
// It is a file with its value and its forwarder, a row in the table (datapaths.go), and a test file
// of the same name. That test file has its way to make the evidence fail: TestEvidenceFails wants one
// for each row.
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
