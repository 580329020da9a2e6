// Package liveline shows a person how a load goes: the throughput, two percentiles of the latency,
// and the errors so far. On a terminal it rewrites one line each second. Elsewhere, it writes a
// line for every ten seconds, so that the log of a short load stays empty.
//
// It works on the client's reports, outside the threads of the load.
package liveline
