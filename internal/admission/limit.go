package admission

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// ForFiles returns the number of connections that a process has descriptors for: three quarters of
// those that it may open (ulimit -n). The rest is for its other files.
func ForFiles() (int, error) {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return 0, fmt.Errorf("getrlimit: %w", err)
	}
	return max(1, int(min(files.Cur, math.MaxInt32))/4*3), nil
}

// Limit returns the limit of connections: asked, or def if asked is 0. It reduces def to what the
// process has descriptors for. It returns an error if asked exceeds that.
func Limit(asked, def int) (int, error) {
	files, err := ForFiles()
	switch {
	case err != nil:
		return 0, err
	case asked < 0:
		return 0, fmt.Errorf("connections: found a limit of %d, allowed: 1 or more", asked)
	case asked == 0:
		return min(def, files), nil
	case asked > files:
		return 0, fmt.Errorf("connections: found a limit of %d, allowed: up to %d, three "+
			"quarters of the files that this process may open; raise ulimit -n", asked, files)
	}
	return asked, nil
}
