// Package placement is the folder of the control plane: the processes, their nodes, their order,
// and the handling of failures. It has no code of its own.
//
//	testbed       the machines, from a testbed file; placements; which nodes play which role
//	sweep         the points to measure, from a sweep file
//	node          the process on a node, and the orchestrator's end of its messages
//	machines      the testbed at work: emulated machines, installed binaries, applied submodes
//	run           a sweep at work: plan, measure, merge, report progress, write the run folder
//	testbedcheck  "dpukv testbed check"
//	submodetool   "dpukv testbed submode"
//	launch        how a process starts on a node: local, SSH, Slurm, Kubernetes, a namespace
//	emulate       machines made of network namespaces and CPU quotas
//	survey        what a node has: interfaces, RDMA devices, BlueField cards, tools
//	submode       the datapath of a DPU on the path: set up, proved, taken back
//
// A sweep file and a testbed file become a run folder like this:
//
//	sweep file ──▶ sweep.Sweep ──▶ points ──┐
//	                                        ├─ run.NewPlan ─▶ Plan ─ Run ─▶ run folder (package results)
//	testbed file ─▶ testbed.Testbed ────────┘                  └─ DryRun ─▶ what Run would do
package placement
