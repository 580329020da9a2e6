// Package submode sets a DPU's datapath on-path, in one of the study's submodes (ICS '25, §2). It
// shows the commands first and runs them on the DPU's node. It proves from counters which datapath
// carried the packets, and undoes everything.
//
//	name       datapath on a BlueField             on plain Linux
//	off-path   none: host and DPU are peers        none
//	direct     –                                   none: the hosts' cable has nothing between
//	sm1        OvS, kernel datapath                ovs-system, else ovs-netdev; bridge
//	sm2        OvS-DPDK                            ovs-dpdk (af_packet); ovs-dpdk-xdp (af_xdp)
//	sm3        testpmd, io                         testpmd (af_packet); testpmd-xdp (af_xdp)
//	sm4        OvS, kernel, offloaded to eSwitch   ovs-flower, else tcx, else tc-u32
//	sm5        OvS-DPDK, offloaded to eSwitch;     as sm4: there is one stand-in for an eSwitch
//	           OVS-DOCA, offloaded to eSwitch
//
// A node gets the first datapath that it supports. Those after a semicolon are used only on
// request. The [Proof] beside every result names a datapath that only stands in for another.
//
// # Steps
//
// A datapath is a value in the table of datapaths: a name and a forwarder. The forwarder makes
// lists of steps (package step). A step is a command of the system's own tools, with the check of
// its output and the command that undoes it. [Submode.Plan] prints the steps. [Submode.Apply]
// writes each step's undo record into a journal on the node (package journal) before it runs the
// step:
//
//	orchestrator                             node
//	    ├─ leftovers of an earlier apply ──────▶│  its journal, from the end
//	    ├─ check: tools, ports, MTU ───────────▶│
//	    ├─ undo record, then the step; … ──────▶│  /run/dpukv/submode/net-MARK/undo
//	    ├─ verify: is it up? ──────────────────▶│
//
// So any later process can undo the changes of a killed orchestrator; the orchestrator's machine
// remembers nothing. On plain Linux, we run an Open vSwitch of our own, and do not touch the
// system's. The sockets, PIDs, logs and database of ours lie in the journal's folder. On a
// BlueField there is only one Open vSwitch, the system's, and it owns the hardware. Our bridge in
// it carries a mark. A port leaves the bridge that it is in, and the undo puts it back.
//
// In NVIDIA's Open vSwitch, ports of type dpdk belong to OvS-DPDK or to OVS-DOCA. The switch itself
// tells which of them it runs, in the table Open_vSwitch. A card that runs OVS-DOCA is refused by
// every other datapath. A restart of that switch interrupts all bridges of the card, and a plan
// says so. DPDK must find huge pages: without them it ends the switch. It also sets the ports' MTU,
// which an undo restores. [Lease.CheckFullSize] then sends packets of that size, between the hosts.
//
// An undo record checks before it acts. It leaves alone a flag or key that was changed since. It
// also leaves alone a foreign filter at our preference, and a place for filters that is not empty.
// A bridge or table of our name (dpukv0) is ours, because the step that makes it requires that none
// exists.
//
// # A new datapath
//
// A new datapath is a file with its value and its forwarder, a row in the table (datapaths.go), and
// a test file of the same name. The test file contains a way to make the evidence fail:
// TestEvidenceFails requires one for each row.
//
// # Evidence
//
// A datapath that is up is no evidence: packets may bypass it. [Lease.Evidence] reads counters
// before and after the load, and [ProveLoad] compares them:
//
//	moved   bytes and packets that the ends of the load moved, by their own counts
//	came    packets that came in at both ports, by the interfaces' counters
//	left    packets that went out of them
//	carried packets that the datapath says it took
//
// The moved packets must have come to each port, each way, with little beside them
// ([Ends.Compare]). The clients' kernel reports what its TCP sockets sent, what the server
// acknowledged, and what came back (TCP_INFO). A softroce device counts its own packets. The
// server's node reports the same for its end, unless the server already ran.
//
// Nearly all packets that came must have been carried, and as many must have left as came. Twice as
// many leave where a second forwarder is at work. Counters of a way that must not be taken must not
// grow. In submode direct, the server's interface is the only one to check.
//
// The share is never too low. That holds even where an interface counts many of the wire's packets
// as one (GRO, TSO), and where packets were lost and retransmitted.
//
// On a BlueField, the ports' counters are those of package eswitch. They are read two seconds after
// the load, until they rest. Beside the ports, there is other proof for each submode:
//
//	sm1  the CPU's driver saw the packets, and Open vSwitch's flows in software have their bytes
//	sm2  threads that poll received them; the kernel and the eSwitch's flows did not
//	sm3  testpmd counted them; the kernel did not see them
//	sm4  flows in the eSwitch have them, and rules in_hw, by traffic control; the kernel did not
//	sm5  flows in the eSwitch have them; threads that poll, and the kernel, did not
//
// Flows of other bridges are left out. A partially offloaded flow is one that the eSwitch only
// recognises and a CPU forwards. Its packets have a count and a share of their own, and cause a
// warning, or an error. RDMA packets of a representor are counted beside.
//
// The evidence can't show:
//
//   - A way that takes little. A way with a fifth of a TCP load is found for certain. With the
//     smallest datagrams, a way needs half of the load for that, because headers weigh more.
//   - A way that takes as much as other traffic brings, up to a quarter of the load. More is
//     refused.
//   - A NIC port's counts of RDMA: others use the port, too. Then the ports are not compared with
//     the ends, and the point has a warning.
//   - Events before the warm-up.
//   - Actions of a person who may change counters, or the load's programs.
package submode
