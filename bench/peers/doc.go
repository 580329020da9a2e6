// Peers measures memcached and Redis beside dpukv's own stores on this machine, and prints what each costs as a multiple of
// MICA. "make bench-peers" runs it. The measuring is a sweep of dpukv: equal threads, sizes, batch and pinning, and in
// each repeat the stores take turns, in a random order.
//
//	peers DPUKV SWEEP.yaml…
//
//	peers.yaml         the stores over TCP, at the study's batch of 64
//	peers-herd.yaml    all stores, with batches of 32: as many requests as HERD has slots for
//
// A row of the table is a store under a load (batch, connections, batches in flight on each, GET share), each load's rows with MICA first. CPU time is that of whole processes, user
// and system; figures are medians over the repeats, and [lowest, highest]. The run folders are gone afterwards: what is to be kept is measured
// with "dpukv sweep -f" itself.
package main
