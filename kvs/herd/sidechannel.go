package herd

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"dpukv/internal/foreign"
)

// sideChannel is the side channel of one connection. The client owns the slots while it is open.
type sideChannel struct {
	conn    net.Conn
	ended   atomic.Pointer[error] // the reason, once it has ended
	watched chan struct{}         // closed when watch has returned
}

// watch waits for a failure frame or the end of the stream: the server sends nothing else.
func (s *sideChannel) watch() {
	defer close(s.watched)
	k, body, err := readFrame(s.conn)
	var f failure
	switch {
	case err == nil && k == kindFailure && json.Unmarshal(body, &f) == nil:
		err = errors.New("the server says: " + foreign.Reason(f.Error))
	case err == nil:
		err = errors.New("the server sent an unexpected frame")
	case errors.Is(err, io.EOF):
		err = errors.New("the server closed the connection")
	}
	s.ended.Store(&err)
}

func (s *sideChannel) err() error {
	if err := s.ended.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *sideChannel) close() error {
	err := s.conn.Close()
	<-s.watched
	return err
}
