package kvstest

import (
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
)

// Sockets are made in advance, before the process runs out of descriptors.
type Sockets struct{ fds []int }

// SpareSockets makes n sockets for [Sockets.Dial].
func SpareSockets(t testing.TB, n int) *Sockets {
	t.Helper()
	s := &Sockets{}
	for range n {
		fd := must.Get(unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0))(t)
		s.fds = append(s.fds, fd)
	}
	return s
}

// Dial connects one of the sockets. A read from it waits for at most a minute.
func (s *Sockets) Dial(t testing.TB, addr *net.TCPAddr) *os.File {
	t.Helper()
	fd := s.fds[0]
	s.fds = s.fds[1:]
	to := &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())}
	must.Do(t, unix.Connect(fd, to))
	long := &unix.Timeval{Sec: 60}
	must.Do(t, unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, long))
	return os.NewFile(uintptr(fd), "client")
}

// Hear connects and returns everything that the other end sends.
func (s *Sockets) Hear(t testing.TB, addr *net.TCPAddr) string {
	t.Helper()
	f := s.Dial(t, addr)
	defer f.Close()
	said := must.Get(io.ReadAll(f))(t)
	return string(said)
}

// Exhaust uses up this process's descriptors, until release.
func Exhaust(t testing.TB) (release func()) {
	t.Helper()
	var before unix.Rlimit
	must.Do(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	few := before
	few.Cur = 64
	must.Do(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
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
