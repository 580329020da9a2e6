package admission

import (
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// sockets are made before there are none to be had.
type sockets struct{ fds []int }

func spareSockets(t *testing.T, n int) *sockets {
	s := &sockets{}
	for range n {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.fds = append(s.fds, fd)
	}
	return s
}

// hear connects and returns all that the other end says.
func (s *sockets) hear(t *testing.T, addr net.Addr) string {
	t.Helper()
	fd := s.fds[0]
	s.fds = s.fds[1:]
	a := addr.(*net.TCPAddr)
	to := &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())}
	if err := unix.Connect(fd, to); err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "client")
	defer f.Close()
	long := &unix.Timeval{Sec: 60}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, long); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// exhaust leaves this process without a descriptor, until release.
func exhaust(t *testing.T) (release func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = 64
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var held []int
	for {
		fd, err := unix.Dup(0)
		if err != nil {
			break
		}
		held = append(held, fd)
	}
	return func() {
		for _, fd := range held {
			unix.Close(fd)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}
}
