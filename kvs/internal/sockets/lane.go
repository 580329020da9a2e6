package sockets

// Lane is some connections of a session that may be used for one another, in turn.
type Lane[C Member] struct {
	Now C // whose batch is being filled

	conns []C
	at    int
}

// Add adds a connection.
func (l *Lane[C]) Add(c C) {
	l.conns = append(l.conns, c)
	l.Now = l.conns[0]
}

// Next moves on to the next connection.
func (l *Lane[C]) Next() {
	if l.at++; l.at == len(l.conns) {
		l.at = 0
	}
	l.Now = l.conns[l.at]
}

// Advance moves on to the next connection whose batch has room, if there is one.
func (l *Lane[C]) Advance() bool {
	for range l.conns {
		if l.Next(); l.Now.Room() {
			return true
		}
	}
	return false
}

// Full is for when the batch being filled has become so: it is sent, if the window is open, and the next connection's turn comes.
func (l *Lane[C]) Full() error {
	c := l.Now
	l.Next()
	if !c.Open() {
		return nil // it leaves when an answer comes
	}
	return c.Send()
}
