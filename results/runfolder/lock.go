package runfolder

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrLocked is wrapped by the errors of [Create] and [Resume] for a folder that another sweep
// writes.
var ErrLocked = errors.New("another sweep is writing this run folder")

// lock takes the lock on f, which lasts until f is closed or the process ends. The processes
// that a sweep starts don't hold it: Go closes its files on exec.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return fmt.Errorf("%w: wait for it, end it, or use another folder", ErrLocked)
	case err != nil:
		return fmt.Errorf("lock %s: %w: put the run folder on a file system with flock", f.Name(),
			err)
	}
	return nil
}
