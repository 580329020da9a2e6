// Package claims holds the study's findings against runs: what it says, what was measured, and whether the two agree.
//
//	claims.yaml ──Load──▶ Book ──Evaluate(runs)──▶ []Outcome ──Write──▶ text, or JSON
//
// A claim is about one quantity of one or two selections of points:
//
//	of         peak: highest median throughput over all loads, in Mops; latency: mean latency from the intended send, in
//	           µs; hash share; spread: most over least throughput along the load; scaling: rise of the throughput from the
//	           least to the highest load over the rise of the load
//	at         what a latency is compared at: load (each that both selections have; default), or throughput (each of a, and what
//	           in over comes nearest, within 10 %)
//	a, over    which points: store, placement, submode, hash, generation; without over it is about a alone
//	quantity   ratio (a through over; default), lower (1 less the ratio), apart (distance of the ratio from 1)
//	pick       of several pairs, for which everything but a placement or submode is alike: the greatest (default, "up
//	           to"; that not all were measured is told) or the least (all must have been measured)
//	expect     about (within the tolerance; default), at least, at most
//
// Points are held against each other only where GET share, server threads, keys and sizes, batch, window, hash and the store's mode
// and access are the same. Points with a filter on the path are not taken. A case's
// generation is that of the DPUs in the runs: of what the testbed calls them, or of the profile that they are modelled
// after. A case without one takes any run.
//
// A claim that no run can speak to is "not measured", with what is missing. One that rests on points over emulated or
// substitute parts is marked so, and never a bare "agrees". Each outcome carries the doubts about the study's own method,
// and beside each what the runs did instead.
package claims
