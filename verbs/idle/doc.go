// Package idle is how a thread waits that polls a device: it spins, then yields its CPU at each
// turn, then sleeps between turns. It counts the time of the turns that found nothing.
package idle
