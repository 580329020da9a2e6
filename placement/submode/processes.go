package submode

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// userHz is the unit of CPU times in /proc (proc_pid_stat(5)): 100 a second on every Linux that a DPU or host runs.
const userHz = 100

// processes reads the CPU times of what forwards in user space.
func (l *Lease) processes(ctx context.Context, e *Evidence) error {
	for _, file := range l.datapath.pidFiles {
		out, err := l.node.Run(ctx, sh(`pid=$(cat "$1") && cat "/proc/$pid/stat"`, path.Join(l.folder(file), file)))
		if err != nil {
			return fmt.Errorf("%s has ended: %w", strings.TrimSuffix(path.Base(file), ".pid"), err)
		}
		key, used, err := parseStat(out)
		if err != nil {
			return fmt.Errorf("%s has ended: %w", strings.TrimSuffix(file, ".pid"), err)
		}
		e.Processes[key] = used.Nanoseconds()
	}
	return nil
}

// folder is that of a PID file which has no path.
func (s *site) folder(file string) string {
	if path.IsAbs(file) {
		return "/"
	}
	return s.dir
}

// parseStat reads PID and start, which tell a process from all others, and CPU time in user and kernel.
func parseStat(text string) (key string, used time.Duration, err error) {
	end := strings.LastIndexByte(text, ')') // the name may have blanks and brackets in it
	if end < 0 {
		return "", 0, fmt.Errorf("/proc/PID/stat: found %q", shorten(text))
	}
	pid, _, _ := strings.Cut(text, " ")
	fields := strings.Fields(text[end+1:])
	const utime, stime, start = 14 - 3, 15 - 3, 22 - 3 // counted from 1 in the manual, the third is the first here
	if len(fields) <= start {
		return "", 0, fmt.Errorf("/proc/PID/stat: found %q", shorten(text))
	}
	if fields[0] == "Z" {
		return "", 0, errors.New("it is dead, and its parent has not noticed")
	}
	for _, i := range []int{utime, stime} {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return "", 0, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		used += time.Duration(n) * time.Second / userHz
	}
	return pid + "@" + fields[start], used, nil
}

// cpu is what the processes used in between; they have to be the same. Where the kernel or the card forwards, they only say how.
func (p *Proof) cpu(before, after *Evidence) error {
	for key, used := range after.Processes {
		was, ok := before.Processes[key]
		if !ok {
			return fmt.Errorf("found another process (PID@START %s) than before: it was restarted in between", key)
		}
		if !after.site.datapath.inKernel {
			p.ForwarderCPUNs += used - was
		}
	}
	return nil
}
