// Package claims compares the findings of papers with runs and with reports of hash functions: the
// paper's figure, the measured figure, and whether the two agree.
//
//	claims.yaml, lynx.yaml ──Load──▶ Books ──Evaluate(Evidence)──▶ []Outcome ──Write──▶ text, JSON
//
// Each source has a file: the study (claims.yaml) and Lynx (lynx.yaml).
//
// # A claim
//
// A claim is about one quantity of one or two selections of points, or of hash functions:
//
//	of         peak: highest median throughput over all loads, in Mops; each repeat counts at the
//	           load that the other repeats choose ([results.Line.HeldOutPeak])
//	           latency: mean latency from the intended send, in µs
//	           hash share
//	           p99 latency, p99 latency at the peak: from the intended send, in µs
//	           spread: most over least throughput along the load
//	           scaling: at each load, rise of the throughput over the rise of the load, both since
//	           the least load
//	           hash bandwidth, hash latency: of a function alone, for 256 KiB and for 16 B
//	           best hash bandwidth, best hash latency: of the best of the functions
//	           probe: the figure (figure) of probes; two are compared at equal settings, except
//	           those that a and over give different values
//	at         where latencies are compared: at each load that both selections have (load; default),
//	           or at a throughput of a and the nearest of over, within 10 % (throughput)
//	a, over    which points: store, placement, submode, hash, generations, server_threads,
//	           neighbour (its kinds; without it, points without a neighbour); which functions; or
//	           which probes: measure, settings, kind (of the node), placement, submode;
//	           without over, a alone
//	quantity   ratio (a through over; default), lower (1 less the ratio), apart (its distance from 1)
//	pick       which figure of a pool counts: the greatest (default), the least (nothing may be
//	           missing), the median, or that of the selection with the highest peak (fastest)
//	expect     about (within the tolerance; default), up to, between, at least, at most
//	own_limit  the figure is this project's limit, since the source gives none
//	cases      the pool of generations, the GET share, and the study's figure for them
//
// "Up to" is a claim about the greatest figure of a pool: of all generations, placements, submodes
// and GET shares that it names. A greater figure disagrees. A smaller one disagrees only if the
// whole pool was measured.
//
// A tolerance is relative to the ratio, also of a difference: 12 % lower is a ratio of 0.88, so
// that 10 % reach from 3 % to 21 % lower.
//
// # Which points are compared
//
// Two points are compared only if they agree in GET share, server threads, keys and sizes, batch,
// window, hash, compute, and the store's mode and access. Two points in halves must also agree in
// engine threads, answers and wait. With any_threads, server and engine threads may differ.
// Points with a filter on the path are left out. Between generations, the 5 and 10 server threads
// of a BF-1 count as the 4 and 8 of the others.
//
// The generation of a run is the generation of its DPUs. The testbed names it, or the profile that
// models them does. A case without a generation takes any run.
//
// # Outcomes
//
// A figure has an interval at 95 %, which more repeats make narrower: for a ratio that of
// [compare.Ratio], else that of the median. Four or five repeats have no interval of the median:
// their range stands for it, and holds the median with 88 and 94 %. A verdict takes the whole
// interval on one side of the limit, four repeats, and no warning that concerns the figure.
// Otherwise it is "inconclusive".
// So is "up to" with all measured figures below, if a part of the pool is missing.
//
// A claim that nothing here can answer is "not measured", and the outcome names the missing points,
// or the program that would measure it. A claim on emulated or substitute parts is marked so; it
// never is a bare "agrees". Each outcome lists the warnings about the study's own method, and how
// the runs avoided each.
package claims
