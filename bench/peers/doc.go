// Peers measures memcached and Redis beside dpukv's own stores on this machine. It prints their
// costs as multiples of MICA's, and writes them into bench/results. "make bench-peers" runs it. A
// sweep of dpukv does the measuring, with equal threads, sizes, batch and pinning. In each repeat
// the stores take turns, in a random order.
//
//	peers DPUKV SWEEP.yaml…
//
//	main.go               runs the sweeps
//	table.go              prints a sweep's table
//	lines.go              a sweep as lines of benchmarks, for the result file
//	peers.yaml            the stores over TCP, at the study's batch of 64
//	peers-herd.yaml       all stores, with batches of 32: as many requests as HERD has slots for
//	peers-threads.yaml    Redis with io-threads, beside MICA: left out on fewer than three CPUs
//
// A row of the table is a store under a load: threads, batch, connections, batches in flight on
// each, GET share. The rows of each load begin with MICA. CPU time is that of whole processes, user
// and system. Figures are medians over the repeats, and [lowest, highest]. A multiple is that of one
// repeat, within which the stores saw the same machine. The run folders are deleted afterwards: to
// keep one, run "dpukv sweep -f" itself.
package main
