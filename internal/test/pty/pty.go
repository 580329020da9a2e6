package pty

import (
	"fmt"
	"os"
	"testing"

	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

// Open opens a pair of pseudo-terminals with the given width.
func Open(t *testing.T, columns int) (screen, tty *os.File) {
	t.Helper()
	screen = must.Get(os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { screen.Close() })
	number := must.Get(unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN))(t)
	must.Do(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	tty = must.Get(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { tty.Close() })
	must.Do(t, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: uint16(columns)}))
	return screen, tty
}
