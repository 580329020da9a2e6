package killed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Count is the number of processes that a machine's kernel has killed for lack of memory, of the
// machine or of one of its cgroups. It covers all containers on the machine, too.
type Count struct {
	Known bool   `json:"known,omitempty"` // kernels before 4.13 do not tell
	Kills uint64 `json:"kills,omitempty"`
}

// countFile is the file of the kernel's count.
const countFile = "/proc/vmstat"

// Look is the command that prints another machine's count, for [Parse].
var Look = []string{"cat", countFile}

// Now reads this machine's count.
func Now() Count {
	f, err := os.Open(countFile)
	if err != nil {
		return Count{}
	}
	defer f.Close()
	return Parse(f)
}

// Parse finds the count in the output of Look.
func Parse(r io.Reader) Count {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
			n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
			return Count{err == nil, n}
		}
	}
	return Count{}
}

// Since is the number of out-of-memory kills since was. It is 0 also if that is unknown.
func (c Count) Since(was Count) uint64 {
	if !c.Known || !was.Known {
		return 0
	}
	return max(c.Kills, was.Kills) - was.Kills
}

// Beside is the note to a failure on this machine if its kernel has killed processes for lack of
// memory since was. Otherwise it is "".
func Beside(was Count) string {
	n := Now().Since(was)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("the kernel of this machine killed %d processes for lack of memory in "+
		"that time (dmesg names them)", n)
}

// shellKilled is a shell's exit status for a command that SIGKILL ended.
const shellKilled = 128 + int(syscall.SIGKILL)

// By reports whether the error of a command's Wait means that SIGKILL ended it.
func By(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL ||
		exit.ExitCode() == shellKilled
}

// How describes a command's end by the error of its Wait. For a killed command it adds the reason,
// from the machine's counts at the start and now.
func How(err error, before, now Count) string {
	switch n := now.Since(before); {
	case err == nil:
		return "ended with exit status 0"
	case !By(err) && n == 0:
		return "ended with " + err.Error()
	case !By(err): // a launcher has other words for it
		return fmt.Sprintf("ended with %v; the kernel of its machine killed %d processes for "+
			"lack of memory in that time (dmesg names them)", err, n)
	case n > 0:
		return fmt.Sprintf("was killed by signal 9: out of memory: the kernel of its machine "+
			"killed %d processes for lack of memory in that time (dmesg names them): give it "+
			"more memory, raise its limit (memory.max of its cgroup, or that of its job or "+
			"container), or store fewer or smaller items", n)
	case before.Known && now.Known:
		return "was killed by signal 9, from outside: the kernel of its machine killed no " +
			"process for lack of memory in that time. Check the limit of the batch system, the " +
			"container, and other users"
	}
	return "was killed by signal 9, from outside: usually the kernel, for lack of memory (dmesg " +
		"names it), or a batch system at its limit"
}
