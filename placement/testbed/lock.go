package testbed

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"dpukv/internal/infile"
)

// How a testbed is locked: by one who changes what is applied to it, or by those who look.
const (
	ToChange = unix.LOCK_EX
	ToLook   = unix.LOCK_SH
)

// Lock keeps other processes from what is applied to the testbed, until unlock or the end of this one. It is the testbed's file that is
// locked: there is nothing to leave behind, and whoever may read the file may have it.
func (t *Testbed) Lock(how int) (unlock func(), err error) {
	f, err := infile.Open(t.Name)
	if err != nil {
		return nil, err
	}
	// Some network file systems want it open for writing.
	if writable, err := os.OpenFile(t.Name, os.O_RDWR|unix.O_NONBLOCK, 0); err == nil {
		f.Close()
		f = writable
	}
	err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		err = fmt.Errorf("testbed %s: found it in use by %s, allowed: one dpukv submode apply, undo or verify at a time; wait for it, or end it",
			t.Name, lockHolder(f))
	case err != nil:
		err = fmt.Errorf("lock testbed %s: %w: put it on a file system with flock", t.Name, err)
	default:
		return func() { f.Close() }, nil
	}
	f.Close()
	return nil, err
}

// lockHolder names the process that has locked a file, as far as the kernel tells.
func lockHolder(f *os.File) string {
	var stat unix.Stat_t
	locks, err := os.ReadFile("/proc/locks")
	if err = errors.Join(err, unix.Fstat(int(f.Fd()), &stat)); err != nil {
		return "another process"
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev), stat.Ino)
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF; who waits has an arrow in the second field.
		if field := strings.Fields(line); len(field) > 5 && field[1] == "FLOCK" && field[5] == file {
			return "PID " + field[4] + commandOf(field[4])
		}
	}
	return "another process"
}

// commandOf is a process's command line, in brackets; "" if it has none that can be seen.
func commandOf(pid string) string {
	text, err := os.ReadFile("/proc/" + pid + "/cmdline")
	if err != nil || len(text) == 0 {
		return ""
	}
	return " (" + strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " ")) + ")"
}
