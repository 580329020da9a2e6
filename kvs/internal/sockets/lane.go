package sockets

// Lane is some connections of a session that may be used for one another, in turn.
type Lane[C Member] struct {
	Now C // whose batch is being filled

	company company
	conns   []C
	at      int
	turn    uint64 // of the session, at the last request
	stays   bool   // Now has sent a batch, and may send another in this turn
}

// NewLane is a lane of connections that lead to so many of the server's workers.
func NewLane[C Member](workers int) Lane[C] { return Lane[C]{company: company{workers: workers}} }

// company is how much the connections of a lane keep the server busy together.
type company struct {
	workers int // of the server
	busy    int // connections with batches in flight
}

// enough reports whether each worker has batches to answer, even without one of the connections: if they
// are evenly spread.
func (c *company) enough() bool { return c.busy > c.workers }

// add adds a connection.
func (l *Lane[C]) add(c C) {
	l.conns = append(l.conns, c)
	l.Now = l.conns[0]
}

// next moves on to the next connection.
func (l *Lane[C]) next() {
	if l.at++; l.at == len(l.conns) {
		l.at = 0
	}
	l.Now, l.stays = l.conns[l.at], false
}

// advance moves on to the next connection whose batch has room, if there is one.
func (l *Lane[C]) advance() bool {
	for range l.conns {
		if l.next(); l.Now.Room() {
			return true
		}
	}
	return false
}

// Pick makes Now a connection whose batch has room, if there is one. It stays with a connection until its window is full, so
// that batches leave together, or until the session has polled.
func (l *Lane[C]) Pick(turn uint64) bool {
	if l.turn != turn {
		if l.turn = turn; l.stays && !l.Now.Begun() {
			l.next()
		}
	}
	return l.Now.Room() || l.advance()
}

// Full is for when the batch being filled has become so: it is sent, if the window is open. With no room in the window for
// another, the next connection's turn comes.
func (l *Lane[C]) Full() (err error) {
	c := l.Now
	if c.Open() { // else it leaves when an answer comes
		err = c.Send()
	}
	if l.stays = c.Open(); !l.stays {
		l.next()
	}
	return err
}
