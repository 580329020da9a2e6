// Package idle is how a thread that polls spends the turns in which it finds no work. It spins for
// a moment, then yields its CPU at each turn, then sleeps. It counts the time that it spun, which
// is CPU time that does no work.
package idle
