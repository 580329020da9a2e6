package process

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"dpukv/placement/submode/step"
)

// Process is a process that writes its PID into a file.
type Process struct {
	Dir, File string // of its PID
	Mark      string // a word of its arguments that no other process has
}

// Stop ends the process, if the PID still belongs to it.
func (p Process) Stop() []string {
	return step.Shell(`
pid=$(cat "$1/$2" 2>/dev/null) || exit 0
mark=$3
ours() { tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -e "$mark"; }
for signal in TERM KILL; do
	for i in $(seq 50); do
		ours || exit 0
		test "$i" != 1 || kill -s "$signal" "$pid"
		sleep 0.1
	done
done
echo "process $pid ($2) does not end" >&2
exit 1`, p.Dir, p.File, p.Mark)
}

// execTimeout bounds the wait for a process that was just started: during exec it has no command
// line.
const execTimeout = time.Second

// Runs expects the process to run. title is its name for people.
func (p Process) Runs(title string) step.Step {
	return step.Step{
		Purpose: title + " runs",
		Run: step.Shell(`pid=$(cat "$1/$2") && tr '\0' ' ' <"/proc/$pid/cmdline" | grep -cF -e "$3"`,
			p.Dir, p.File, p.Mark),
		Expect: step.Is("1"), Within: execTimeout,
		Advice: "see its log in " + p.Dir + "; apply again",
	}
}

// Read returns the stat of the process in a PID file. The process must be alive.
func Read(ctx context.Context, n step.Node, file string) (Stat, error) {
	out, err := n.Run(ctx, step.Shell(`pid=$(cat "$1") && cat "/proc/$pid/stat"`, file))
	var s Stat
	if err == nil {
		s, err = ParseStat(out)
	}
	if err != nil {
		err = fmt.Errorf("%s has ended: %w", strings.TrimSuffix(path.Base(file), ".pid"), err)
	}
	return s, err
}
