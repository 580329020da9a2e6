package node

import "time"

// Timeouts is the longest time that the orchestrator waits for each step of a node. After that, the
// node counts as hung.
type Timeouts struct {
	Install time.Duration // the binary on a node that does not have it
	Hello   time.Duration
	Server  time.Duration // to accept load, or to use CPU time: it takes all its memory first
	Client  time.Duration // to dial; then from one key stored or found to the next
	Result  time.Duration // to come, once the measurement period is over
	Stop    time.Duration // to end when told to
	// instead of stop, for a launcher to notice and report that its connection is lost
	Loss    time.Duration
	Kill    time.Duration // to end by a signal
	Alive   time.Duration // from one sign of life to the next
	silence time.Duration // without one, until a node takes the orchestrator for gone
}

// DefaultTimeouts suit machines of any kind; tests have shorter ones.
var DefaultTimeouts = Timeouts{
	Install: 5 * time.Minute,
	Hello:   15 * time.Second, Server: 60 * time.Second,
	Client: 60 * time.Second,
	Result: 30 * time.Second, Stop: 5 * time.Second, Loss: 12 * time.Second, Kill: 2 * time.Second,
	Alive: 10 * time.Second, silence: time.Minute,
}
