// Package bench measures dpukv's parts beside their yardsticks: a Go map and fastcache for the
// store, a gnet echo of the same bytes for the server. It is a module of its own, so that the
// yardsticks are no dependencies of dpukv. "make bench" runs it all.
//
// Every figure is the CPU time of the working thread. Other load on the machine stretches it less
// than wall time. Compare figures of one run, as ratios.
package bench
