package live

import (
	"io"
	"net"
	"sync"
	"time"
)

// The limits for unknown clients. A browser has up to six connections, one of which listens to
// events.
const (
	maxConnections = 128
	maxWatchers    = 64
	maxHeaderBytes = 16 << 10
	headerTimeout  = 10 * time.Second
	idleTimeout    = 30 * time.Second
	readTimeout    = 10 * time.Second // for a reader to take the next piece of an answer
	pieceBytes     = 64 << 10
)

// limited accepts this many connections at a time, and tells any other that there are too many.
type limited struct {
	net.Listener
	slots chan struct{}
}

func limit(l net.Listener, connections int) *limited {
	return &limited{l, make(chan struct{}, connections)}
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			return &slot{Conn: c, free: sync.OnceFunc(func() { <-l.slots })}, nil
		default:
			refuse(c)
		}
	}
}

// refuse never waits: its text is short enough for the buffers of a new connection.
func refuse(c net.Conn) {
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(c, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"+
		"Content-Type: text/plain\r\n\r\ntoo many connections: look again in a moment\n")
	_ = c.Close()
}

// slot is a connection that counts towards the limit.
type slot struct {
	net.Conn
	free func()
}

// Close implements [net.Conn].
func (s *slot) Close() error {
	defer s.free()
	return s.Conn.Close()
}
