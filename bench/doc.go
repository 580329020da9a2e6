// Package bench measures dpukv's parts beside their yardsticks: a Go map and
// fastcache for the store, a gnet echo of the same bytes for the server. It is a
// module of its own, so that the yardsticks are no dependencies of dpukv. "make
// bench" runs it all.
//
// Every figure is the CPU time of the thread that did the work, which other load on
// the machine stretches less than wall time; compare figures of one run, as ratios.
package bench
