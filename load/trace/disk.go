package trace

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// disk writes a file, and leaves room in its file system: a small source can become a large trace,
// and other programs need the room, too.
type disk struct {
	file *os.File
	n    int64 // bytes written
	// room returns the bytes that are free in the file system, and all of it; 0: not known
	room func(*os.File) (free, all int64)
}

// ErrNoDisk is of a trace for which the file system has no room.
var ErrNoDisk = errors.New("the file system has no room for it")

const (
	// A trace leaves a part of the file system free, and no more than mostLeft.
	leftPart = 20
	mostLeft = 256 << 20
)

func (d *disk) Write(b []byte) (int, error) {
	free, all := d.room(d.file)
	left := min(all/leftPart, mostLeft)
	if all > 0 && free-int64(len(b)) < left {
		return 0, fmt.Errorf("%w: found %s free of %s, and %s must stay free; the trace has %s so "+
			"far, %d bytes for each operation", ErrNoDisk, bytesText(free), bytesText(all),
			bytesText(left), bytesText(d.n), recordSize)
	}
	n, err := d.file.Write(b)
	d.n += int64(n)
	return n, err
}

// roomOf asks the file system of a file.
func roomOf(f *os.File) (free, all int64) {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return 0, 0
	}
	return int64(st.Bavail) * st.Bsize, int64(st.Blocks) * st.Bsize
}

func bytesText(n int64) string { return fmt.Sprintf("%.1f MiB", float64(max(n, 0))/(1<<20)) }
