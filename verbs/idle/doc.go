// Package idle is how a thread waits that polls a device: it spins, then yields its CPU at each
// turn, then sleeps between turns. It counts the time of the turns that found nothing. [Idle] waits
// without a limit, as servers do; [Bounded] has a limit for each wait, as sessions do.
package idle
