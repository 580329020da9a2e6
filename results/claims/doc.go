// Package claims compares the study's findings with runs: the study's figure, the measured figure,
// and whether the two agree.
//
//	claims.yaml ──Load──▶ Book ──Evaluate(runs)──▶ []Outcome ──Write──▶ text, or JSON
//
// # A claim
//
// A claim is about one quantity of one or two selections of points:
//
//	of         peak: highest median throughput over all loads, in Mops
//	           latency: mean latency from the intended send, in µs
//	           hash share
//	           spread: most over least throughput along the load
//	           scaling: rise of the throughput from the least to the highest load, over the rise
//	           of the load
//	at         where latencies are compared: at each load that both selections have (load; default),
//	           or at a throughput of a and the nearest of over, within 10 % (throughput)
//	a, over    which points: store, placement, submode, hash, generation; without over, a alone
//	quantity   ratio (a through over; default), lower (1 less the ratio), apart (its distance from 1)
//	pick       which pair counts, of several that differ in a placement or submode only: the
//	           greatest (default, "up to"; the outcome says if pairs are missing), or the least (no
//	           pair may be missing)
//	expect     about (within the tolerance; default), at least, at most
//
// # Which points are compared
//
// Two points are compared only if they agree in GET share, server threads, keys and sizes, batch,
// window, hash, and the store's mode and access. Points with a filter on the path are left out.
//
// The generation of a run is the generation of its DPUs. The testbed names it, or the profile that
// models them does. A case without a generation takes any run.
//
// # Outcomes
//
// A claim that no run can answer is "not measured", and the outcome names the missing points. A
// claim that rests on emulated or substitute parts is marked so; it never is a bare "agrees". Each
// outcome lists the doubts about the study's own method, and how the runs avoided each.
package claims
