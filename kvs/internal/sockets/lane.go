package sockets

// Lane is a set of interchangeable connections of a session, used in turn.
type Lane[C Member] struct {
	Now C // whose batch is being filled

	load  laneLoad
	conns []C
	at    int
	turn  uint64 // of the session, at the last request
	used  bool   // Now got a request since its turn came
}

// NewLane makes a lane of connections to a number of server workers.
func NewLane[C Member](workers int) Lane[C] { return Lane[C]{load: laneLoad{workers: workers}} }

// add adds a connection.
func (l *Lane[C]) add(c C) {
	l.conns = append(l.conns, c)
	l.Now = l.conns[0]
}

// next moves on to the next connection whose window has room. If there is none, it moves to the
// next one whose batch has room. Otherwise it changes nothing and returns false.
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

// Pick makes Now a connection whose batch has room for the request that follows. It returns false
// if there is none. It stays with a connection until its window is full, so that batches leave
// together, or until the session has polled and none of its batches wait.
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

// Stays reports whether Pick keeps Now if its batch has room. A caller that knows the type of Now
// thereby saves a call for most requests.
func (l *Lane[C]) Stays(turn uint64) bool { return l.used && l.turn == turn }

// Full must be called when the current batch is full. Full sends the batch if the window has room.
// If the window then has no room for another, the next connection's turn comes.
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

// laneLoad tracks how much the connections of a lane keep the server busy together.
type laneLoad struct {
	workers int // of the server
	busy    int // connections with requests that the server has not answered
}
