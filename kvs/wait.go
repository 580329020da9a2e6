package kvs

import (
	"fmt"

	"dpukv/verbs"
)

// These are how the threads of an end wait for messages from sockets.
const (
	WaitSleep = "sleep" // in the kernel, which wakes them up
	WaitPoll  = "poll"  // they look again and again, which takes all time of their CPU
)

// Waits tell which ends of a store can be asked to sleep or to poll: a whole server, its clients.
type Waits struct{ Server, Clients bool }

// Polls reports whether a way of waiting is [WaitPoll]. "" stands for [WaitSleep].
func Polls(wait string) (bool, error) {
	switch wait {
	case WaitPoll:
		return true, nil
	case WaitSleep, "":
		return false, nil
	}
	return false, fmt.Errorf("wait: found %q, allowed: %s, %s", verbs.Printable(wait), WaitSleep,
		WaitPoll)
}

// CheckClientWait refuses a way of waiting that the store's clients have no choice of.
func (s *Store) CheckClientWait(wait string) error {
	polls, err := Polls(wait)
	if err == nil && polls && !s.Waits.Clients {
		err = fmt.Errorf("found %s with %s, whose clients wait in their own way, "+
			"allowed: none; leave it out", wait, s.Name)
	}
	return err
}
