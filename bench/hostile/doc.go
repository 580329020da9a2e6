// Hostile measures how a store's server withstands hostile clients. "make bench-hostile" runs it.
//
//	hostile DPUKV [-store mica|herd] [-connections N] [-rounds N]
//
// It starts the server on CPU 0 and an honest client with a fixed rate on CPU 1. Rounds with
// hostile connections of one kind alternate with rounds without them. A row of the table is one
// kind:
//
//	held       hostile connections open at once, at most
//	opened     hostile connections opened, those that the server ended included
//	RSS MiB    the server's resident memory at its height, and with the honest client alone
//	p50, p99   the honest client's latency, from when an operation was due: with / without
//	ended      honest sessions that failed; anything but 0 is a fault of the server
//
// The hostile clients are a process of their own. It gets CPU 1 only while the honest client does
// not need it (nice 19). Figures are medians over the rounds.
package main
