package sockets

// Lane is some connections of a session that may be used for one another, in turn.
type Lane[C Member] struct {
	Now C // whose batch is being filled

	load  laneLoad
	conns []C
	at    int
	turn  uint64 // of the session, at the last request
	used  bool   // Now was given a request since its turn came
}

// NewLane is a lane of connections that lead to so many of the server's workers.
func NewLane[C Member](workers int) Lane[C] { return Lane[C]{load: laneLoad{workers: workers}} }

// add adds a connection.
func (l *Lane[C]) add(c C) {
	l.conns = append(l.conns, c)
	l.Now = l.conns[0]
}

// next moves on to the next connection whose window is open; while none is, to the next whose batch
// has room. It is false, and changes nothing, if that is none either.
func (l *Lane[C]) next() bool { return l.find(C.Open) || l.find(C.Room) }

func (l *Lane[C]) find(good func(C) bool) bool {
	for i := range l.conns {
		if at := (l.at + 1 + i) % len(l.conns); good(l.conns[at]) {
			l.at, l.Now, l.used = at, l.conns[at], false
			return true
		}
	}
	return false
}

// Pick makes Now a connection whose batch has room for a request, which follows, if there is one.
// It stays with a connection until its window is full, so that batches leave together, or until the
// session has polled and nothing of it waits.
func (l *Lane[C]) Pick(turn uint64) bool {
	if l.turn != turn {
		if l.turn = turn; l.used && !l.Now.Begun() {
			l.next()
		}
	}
	if !l.Now.Room() && !l.next() {
		return false
	}
	l.used = true
	return true
}

// Full is for when the batch being filled has become so: it is sent, if the window is open. With no
// room in the window for another, the next connection's turn comes.
func (l *Lane[C]) Full() (err error) {
	c := l.Now
	if c.Open() { // else it leaves when an answer comes
		err = reason(c, c.Send())
	}
	if !c.Open() {
		l.next()
	}
	return err
}

// laneLoad is how much the connections of a lane keep the server busy together.
type laneLoad struct {
	workers int // of the server
	busy    int // connections of which the server has something that it has not answered
}
