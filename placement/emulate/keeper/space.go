package keeper

import (
	"fmt"
	"os"
	"runtime"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// space is a network namespace: an open file, which alone keeps it alive, and sockets in it.
type space struct {
	name   string
	file   *os.File
	inode  uint64
	links  *netlink.Handle
	socket int // for ioctl
}

// newSpace makes a namespace.
func newSpace(name string) (*space, error) {
	s := &space{name: name, socket: -1}
	if err := onThread(s.make); err != nil {
		s.close()
		return nil, fmt.Errorf("make the network namespace %s: %w", name, err)
	}
	return s, nil
}

// onThread runs f on a thread that nobody uses afterwards, since f moves it to another namespace.
// The goroutine never unlocks the thread, so the thread ends with it. The process's first thread
// would stay, so f does not run on that one.
func onThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			done <- onThread(f) // on another thread, as this one is taken
			return
		}
		done <- f()
	}()
	return <-done
}

func (s *space) make() (err error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return err
	}
	if s.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	if s.inode, err = inode(s.file.Name()); err != nil {
		return err
	}
	if s.links, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return err
	}
	if s.socket, err = unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	lo, err := s.links.LinkByName("lo")
	if err != nil {
		return err
	}
	return s.links.LinkSetUp(lo)
}

// within runs f on a thread in the namespace.
func (s *space) within(f func() error) error {
	return onThread(func() error {
		if err := unix.Setns(int(s.file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("enter the network namespace %s: %w", s.name, err)
		}
		return f()
	})
}

func (s *space) close() {
	if s.links != nil {
		s.links.Close()
	}
	if s.socket >= 0 {
		unix.Close(s.socket)
	}
	if s.file != nil {
		s.file.Close()
	}
}

// inode returns the inode that identifies a namespace.
func inode(path string) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return st.Ino, nil
}
