// Package trial measures one point: it starts the processes, gives them their tasks, opens the gate
// to the load, and collects.
//
// Each trial has processes of its own, so that none inherits another's memory or connections. A
// driver knows what the processes of a kind do: one for stores, one for probes. What is counted
// beside the load is the gate's, for both.
//
// # Several clients
//
// Clients share one workload and do different operations of it. Each has client_threads threads and
// its part of an offered rate. All receive go at the same time. Each reports when it began, and the
// orchestrator's clock measures how far apart they were. The nodes' own clocks are only checked for
// gross errors. [results.Combine] makes one point of theirs.
//
// # Halves
//
// A server in halves is two processes. The store half starts first, and its engine connects to it.
// Clients connect to the engine. A client in halves is an application and a proxy, which starts
// before it. A point has the CPU time of each part, and sums for hosts and DPUs. It fails if the
// parts that were used are not those of its placement.
//
// # CPUs
//
// Package process divides the CPUs. An emulated machine gets the CPU time of as many of its
// profile's cores as it has threads. The neighbour's CPUs follow from those that the server tells.
package trial
