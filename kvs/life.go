package kvs

import "sync"

// Life implements [Server.Wait] for a server of this process, and lets its Close run once.
type Life struct {
	end, stop sync.Once
	ended     chan struct{}
	why       error // set before ended is closed
	stopErr   error
}

// NewLife returns the life of a server that has begun.
func NewLife() *Life { return &Life{ended: make(chan struct{})} }

// End notes why the server has ended; nil: Close ends it. Only the first reason counts. End reports
// whether this one did.
func (l *Life) End(why error) (first bool) {
	l.end.Do(func() {
		first, l.why = true, why
		close(l.ended)
	})
	return first
}

// Ended is closed when the server has ended for any reason.
func (l *Life) Ended() <-chan struct{} { return l.ended }

// Wait blocks until the server has ended. If Close did not end it, Wait returns the reason.
func (l *Life) Wait() error {
	<-l.ended
	return l.why
}

// Stop ends the server and frees what it has. A second call only returns the error of the first.
func (l *Life) Stop(free func() error) error {
	l.stop.Do(func() {
		l.End(nil)
		l.stopErr = free()
	})
	return l.stopErr
}
