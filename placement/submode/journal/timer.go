package journal

import (
	"context"

	"dpukv/placement/submode/step"
)

// TimerPID is the file in the folder that has the PID of its timer (package timer).
const TimerPID = "timer.pid"

// TimerMark is the word of a timer's arguments that tells it from other processes.
func TimerMark(folder string) string { return "--folder=" + folder }

// stopTimer ends the folder's timer, unless the timer itself asks: then it is the shell's parent.
// An undo that it has begun is done again from the start.
func (j *Journal) stopTimer(ctx context.Context) error {
	_, err := j.node.Run(ctx, step.Shell(`
pid=$(cat "$1" 2>/dev/null) && test "$pid" != "$PPID" || exit 0
mark=$2
ours() { tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qxF -e "$mark"; }
for signal in TERM KILL; do
	for i in $(seq 50); do
		ours || exit 0
		test "$i" != 1 || kill -s "$signal" "$pid"
		sleep 0.1
	done
done
echo "the timer (process $pid) does not end" >&2
exit 1`, j.file(TimerPID), TimerMark(j.dir)))
	if err != nil {
		return j.node.About("end the timer that would undo", err)
	}
	return nil
}
