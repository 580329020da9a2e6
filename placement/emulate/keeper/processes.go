package keeper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Time for processes to end by themselves, and to be gone once killed.
const (
	grace    = time.Second
	lastCall = 5 * time.Second
	glance   = 2 * time.Millisecond
)

// endAll waits for the processes that find lists, then kills the remaining ones. It kills
// repeatedly, because they may have children. It returns those that stay.
func endAll(patience time.Duration, find func() []int) (left []int) {
	start := time.Now()
	for pause := glance; ; pause = min(2*pause, 16*glance) {
		left = find()
		waited := time.Since(start)
		if len(left) == 0 || waited > patience+lastCall {
			return left
		}
		if waited >= patience {
			for _, pid := range left {
				kill(pid, find)
			}
		}
		time.Sleep(pause)
	}
}

// kill kills a process. It first pins the PID, so that no other process can get it, and then checks
// that find still lists the process.
func kill(pid int, find func() []int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if slices.Contains(find(), pid) {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) // it may have ended
	}
}

// EndIn ends the processes in the namespaces of a dead keeper, after a moment to end by themselves.
// The caller has the namespaces open. Otherwise a new namespace could have got the inode.
func EndIn(namespaces []*os.File) error {
	inodes := map[uint64]bool{}
	for _, f := range namespaces {
		var st unix.Stat_t
		if err := unix.Fstat(int(f.Fd()), &st); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		inodes[st.Ino] = true
	}
	return endIn(inodes, nil)
}

// endIn ends the processes in namespaces, and those that more lists.
func endIn(inodes map[uint64]bool, more func() []int) error {
	left := endAll(grace, func() []int {
		pids := inSpaces(inodes)
		if more != nil {
			pids = append(pids, more()...)
		}
		return pids
	})
	if len(left) > 0 {
		return fmt.Errorf("the processes %v on the machines do not end", left)
	}
	return nil
}

// inSpaces lists the processes in any of the namespaces, without zombies and this process.
func inSpaces(inodes map[uint64]bool) []int {
	var pids []int
	paths, _ := filepath.Glob("/proc/[0-9]*/ns/net")
	for _, path := range paths {
		if n, err := inode(path); err == nil && inodes[n] {
			pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
			if pid != os.Getpid() {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// StartOf returns a process's start time, in clock ticks after boot (proc_pid_stat(5), field 22).
// It returns "" if there is no such process, or only a zombie.
func StartOf(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name, field 2, may contain anything. It ends at the last parenthesis.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}
