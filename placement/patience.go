package placement

import "time"

// patience is how long the orchestrator waits for each step of a node. Past that, the node hangs.
type patience struct {
	install time.Duration // the binary on a node that does not have it
	hello   time.Duration
	server  time.Duration // to accept load: it takes all its memory first
	client  time.Duration // to dial, store every key and ask for it again
	perKey  time.Duration // which takes this long more a key
	result  time.Duration // to come, once the window is over
	stop    time.Duration // to end when told to
	loss    time.Duration // instead of stop, for a launcher to notice and to say that its connection is lost
	kill    time.Duration // to end by a signal
	alive   time.Duration // from one sign of life to the next
	silence time.Duration // without one, after which a node takes the orchestrator for gone
}

var defaultPatience = patience{
	install: 5 * time.Minute,
	hello:   15 * time.Second, server: 60 * time.Second,
	client: 60 * time.Second, perKey: 20 * time.Microsecond,
	result: 30 * time.Second, stop: 5 * time.Second, loss: 12 * time.Second, kill: 2 * time.Second,
	alive: 10 * time.Second, silence: time.Minute,
}
