package testbed

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Kinds of locks on a testbed: exclusive for changes to its applied submode, shared for reading.
const (
	ToChange = unix.LOCK_EX
	ToLook   = unix.LOCK_SH
)

// lockHolder names the process that holds a file's lock, as far as the kernel tells.
func lockHolder(f *os.File) string {
	var stat unix.Stat_t
	locks, err := os.ReadFile("/proc/locks")
	if err = errors.Join(err, unix.Fstat(int(f.Fd()), &stat)); err != nil {
		return "another process"
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev), stat.Ino)
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF; a waiting process has an arrow in the
		// second field.
		if field := strings.Fields(line); len(field) > 5 && field[1] == "FLOCK" &&
			field[5] == file {
			return "PID " + field[4] + commandOf(field[4])
		}
	}
	return "another process"
}

// commandOf returns a process's command line in brackets; "" if none is visible.
func commandOf(pid string) string {
	text, err := os.ReadFile("/proc/" + pid + "/cmdline")
	if err != nil || len(text) == 0 {
		return ""
	}
	return " (" + strings.TrimSpace(strings.ReplaceAll(string(text), "\x00", " ")) + ")"
}
