package admission

import (
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// ForFiles is how many connections a process has descriptors for: three quarters of those that it
// may open (ulimit -n). The rest is for what it has open besides.
func ForFiles() (int, error) {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return 0, fmt.Errorf("getrlimit: %w", err)
	}
	return max(1, int(min(files.Cur, math.MaxInt32))/4*3), nil
}

// Limit is how many connections to take: as many as asked for, or def if 0 are, but def no more
// than the process has descriptors for. More than that, asked for, are an error.
func Limit(asked, def int) (int, error) {
	files, err := ForFiles()
	switch {
	case err != nil:
		return 0, err
	case asked < 0:
		return 0, fmt.Errorf("found a limit of %d connections, allowed: 1 or more", asked)
	case asked == 0:
		return min(def, files), nil
	case asked > files:
		return 0, fmt.Errorf("found a limit of %d connections, allowed: up to %d, "+
			"three quarters of the files that this process may open; raise ulimit -n", asked, files)
	}
	return asked, nil
}
