package pipetest

import (
	"context"
	"errors"
	"net"
	"time"

	"dpukv/internal/rawsocket"

	"golang.org/x/sys/unix"
)

// floor moves the bytes of a session's batches with bare system calls: a write and a read a batch,
// and a wait for all connections. It neither builds requests nor looks at answers.
type floor struct {
	poller *rawsocket.Poller
	fds    []int
	left   []int // bytes of each connection's answer still to come
	frame  []byte
	answer []byte // of a batch
}

// newFloor connects. The answer to a frame has the given length.
func newFloor(addr string, frame []byte, answer, connections int) (*floor, error) {
	p, err := rawsocket.NewPoller()
	if err != nil {
		return nil, err
	}
	f := &floor{poller: p, frame: frame, answer: make([]byte, answer)}
	for range connections {
		if err := f.connect(addr); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	f.left = make([]int, connections)
	return f, nil
}

func (f *floor) connect(addr string) error {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	fd, err := rawsocket.TakeOver(c)
	if err != nil {
		return err
	}
	f.fds = append(f.fds, fd)
	return f.poller.Watch(unix.EPOLL_CTL_ADD, fd, len(f.fds)-1, unix.EPOLLIN)
}

// run moves a number of batches with one in flight on each connection, and returns with none.
func (f *floor) run(batches int) error {
	flight := 0
	for i := range f.fds {
		if err := f.write(i); err != nil {
			return err
		}
		flight++
	}
	for sent := flight; flight > 0; {
		events, err := f.poller.Wait(time.Second)
		if err != nil {
			return err
		}
		for _, e := range events {
			i := int(e.Fd)
			n, errno := rawsocket.Receive(f.fds[i], f.answer[:f.left[i]], 0)
			if errno != 0 || n == 0 {
				return errors.Join(errors.New("the answer to a batch stopped"), errno)
			}
			if f.left[i] -= n; f.left[i] > 0 {
				continue
			}
			flight--
			if sent < batches {
				if err := f.write(i); err != nil {
					return err
				}
				flight, sent = flight+1, sent+1
			}
		}
	}
	return nil
}

// write sends a batch, which the kernel has room for.
func (f *floor) write(i int) error {
	if n, errno := rawsocket.Send(f.fds[i], f.frame, 0); errno != 0 || n < len(f.frame) {
		return errors.Join(errors.New("the kernel had no room for a batch"), errno)
	}
	f.left[i] = len(f.answer)
	return nil
}

func (f *floor) close() error {
	errs := []error{f.poller.Close()}
	for _, fd := range f.fds {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}
