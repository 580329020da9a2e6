package infile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ReadInput reads a regular file, or a pipe until its end, of at most so many bytes. It waits for a
// pipe's data until ctx is done.
func ReadInput(ctx context.Context, path string, most int64) ([]byte, error) {
	info, err := stat(path)
	if err != nil {
		return nil, missing(path, err)
	}
	if info.Mode()&fs.ModeNamedPipe == 0 {
		return Read(path, most)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	return readAll(path, &pipe{ctx, fd}, most)
}

// pipe reads a descriptor that does not block.
type pipe struct {
	ctx context.Context
	fd  int
}

// look is the longest wait between two checks of the context.
const look = 50 * time.Millisecond

// Read waits first: a pipe that no writer has opened yet looks like one at its end.
func (p *pipe) Read(b []byte) (int, error) {
	for {
		if err := p.wait(); err != nil {
			return 0, err
		}
		n, err := unix.Read(p.fd, b)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// wait returns once there is something to read, or the end.
func (p *pipe) wait() error {
	for {
		if err := p.ctx.Err(); err != nil {
			return fmt.Errorf("stopped waiting for the pipe: %w", context.Cause(p.ctx))
		}
		fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(look.Milliseconds()))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("poll", err)
		}
		if n > 0 {
			return nil
		}
	}
}
