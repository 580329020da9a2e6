package sockets

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"dpukv/kvs"

	"golang.org/x/sys/unix"
)

// TestReasonIsTold: a server that answers something else and hangs up while requests are on their way is quoted by whatever
// fails first, also where that is a send.
func TestReasonIsTold(t *testing.T) {
	for name, then := range map[string]func(*echoSession) error{
		"flush": func(s *echoSession) error { return s.Flush() },
		"poll":  func(s *echoSession) error { _, err := s.Poll(nil, time.Second); return err },
	} {
		t.Run(name, func(t *testing.T) {
			addr := listen(t, func(c net.Conn) {
				_, _ = io.ReadFull(c, make([]byte, 3))
				_, _ = c.Write([]byte("refused, because of the moon"))
				c.Close() // with a request half read: a reset
			})
			s := newEchoSession(t, addr, 1, kvs.SessionOptions{Batch: 2, Window: 4, Connections: 1})
			s.submit(t, []byte("request"))
			s.submit(t, []byte("request"))
			waitReset(t, s.lane.Now.fd)
			s.submit(t, []byte("request"))
			if err := then(s); err == nil || !strings.Contains(err.Error(), "came back as others") {
				t.Errorf("got %v, want what the server said", err)
			}
		})
	}
}

// waitReset waits until the kernel knows that the peer is gone.
func waitReset(t *testing.T, fd int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		if _, err := unix.Poll(fds, 0); err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
			return
		}
	}
	t.Fatal("the connection was not reset")
}
