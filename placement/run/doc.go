// Package run measures the points of a sweep on a testbed.
//
// [NewPlan] reads the files. Before anything starts, it refuses configurations that cannot be
// measured, with their place in the file. [Plan.Run] measures the points that the run folder lacks.
// So a second call continues an interrupted sweep. [DryRun] only prints what [Plan.Run] would do.
//
// Each point has server and client processes of its own, so that none inherits another's memory or
// connections.
//
// # Several clients
//
// Clients share one workload and do different operations of it. Each has client_threads threads and
// its part of an offered rate. All receive go at the same time. Each reports when it began, and the
// orchestrator's clock measures how far apart they were. The nodes' own clocks are only checked for
// gross errors. Counts are added up, histograms are merged, and the point keeps each client's
// share.
//
// # Halves
//
// A server in halves is two processes. The store half starts first, and its engine connects to it.
// Clients connect to the engine. A client in halves is an application and a proxy, which starts
// before it. Halves that the store, the submode or the devices cannot have are refused. A point has
// the CPU time of each part, and sums for hosts and DPUs. It fails if the parts that were used are
// not those of its placement.
//
// # CPUs
//
// Nodes name the CPUs that they may use, and the boot ID of their kernel. Processes on one kernel
// divide its CPUs. A process alone on its kernel takes as many CPUs as it has threads. An emulated
// machine gets the CPU time of as many of its profile's cores as it has threads.
//
// # Cards
//
// Before a point, the mode of each BlueField in the hosts of client and server is read. A card in
// another mode than the submode's fails the point. An unknown mode is a warning, or an error if the
// testbed names the card's node. In submode off-path-sf, the packets at the Arms' cores are counted
// too: many of them fail the point.
//
// # What can go wrong
//
//	a point fails             it is recorded as failed, with the reason; the sweep goes on, and the
//	                          error at the end counts the failures
//	a connection or machine   the same, within seconds, with the node's name
//	is lost
//	the datapath of a DPU     the same; the reason begins with the DPU's node and what is missing of
//	breaks                    its datapath
//	a process dies            the same; the reason begins with whose it was, and says whether the
//	                          kernel killed it for want of memory
//	a node does not start     points that need the node are left out; the others are measured
//	three times in a row
//	Ctrl-C, SIGTERM           the current point is dropped, the ones before are in the folder, and
//	                          the error has the command that continues
//	the folder takes no more  the same
package run
