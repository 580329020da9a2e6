// Package bench measures dpukv's parts beside their yardsticks: a Go map and fastcache for the
// store, a gnet echo of the same bytes for the server, a ping-pong in C for request-response. It is
// a module of its own, so that the yardsticks are no dependencies of dpukv. "make bench" runs it
// all.
//
// Every figure of stores and servers is the CPU time of the working thread. Other load on the
// machine stretches it less than wall time. Compare figures of one run, as ratios.
package bench
