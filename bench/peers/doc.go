// Peers measures memcached and Redis beside dpukv's own stores on this machine, and prints what each costs as a multiple of
// MICA. "make bench-peers" runs it. The measuring is a sweep of dpukv: equal threads, sizes, batch and pinning, and in
// each repeat the stores take turns, in a random order.
//
//	peers DPUKV SWEEP.yaml…
//
//	peers.yaml         all over TCP, with batches of 1 and of 64
//	peers-herd.yaml    HERD, whose batches and windows are others
//
// A row of the table is a store under a load (batch, connections, GET share), each load's rows with MICA first. CPU time is that of whole processes, user
// and system; figures are medians over the repeats, and [lowest, highest]. The run folders are gone afterwards: what is to be kept is measured
// with "dpukv sweep -f" itself.
package main
