#!/bin/bash
# again.sh BINARY ARG... runs a test binary, and runs it again if qemu-user hangs one of its forks:
# at most twice, and not if a test had failed before. A binary that ends by itself never runs again.
#
#	GOARCH=arm64 go test -exec internal/test/kernel/again.sh
#
# A Go program starts another by vfork, of which qemu-user (seen with 7.2) makes a plain fork. That
# inherits locks of other threads, which nobody frees, and hangs before it executes the program. So
# it sleeps as its parent's copy, with at most two threads: its own, and the emulator's call_rcu. An
# emulated Go program has three or more. Seen so at two looks, without CPU time between, it hangs.
set -u
look=${AGAIN_LOOK:-30} # seconds
notes=$(mktemp -d) || exit
trap 'rm -rf "$notes"' EXIT

# below PID: its descendants.
below() {
	ps -e -o ppid=,pid= | awk -v top="$1" '
		function walk(p, list, i, n) {
			n = split(children[p], list)
			for (i = 1; i <= n; i++) { print list[i]; walk(list[i]) }
		}
		{ children[$1] = children[$1] " " $2 }
		END { walk(top) }'
}

# forks PID: its descendants that may hang, with their CPU time.
forks() {
	for pid in $(below "$1"); do
		read -r parent state threads ticks <<<"$(ps -o ppid=,s=,nlwp=,cputimes= -p "$pid")"
		exe=$(readlink "/proc/$pid/exe")
		[[ $exe = */qemu-* && $exe = $(readlink "/proc/$parent/exe") && $state = S && $threads -le 2 ]] &&
			cmp "/proc/$pid/cmdline" "/proc/$parent/cmdline" && echo "$pid $ticks"
	done
}

# watch PID: kills it with its descendants once one hangs, and notes that.
watch() {
	before=$(forks "$1")
	while sleep "$look"; do
		now=$(forks "$1")
		# Without forks, the lines are empty, and equal.
		if [ -n "$before" ] && grep -Fx "$before" <<<"$now" >"$notes/hung"; then
			kill -KILL "$1" $(below "$1")
			return
		fi
		before=$now
	done
}

for run in 1 2 3; do
	: >"$notes/hung"
	exec {output}>"$notes/output" # now: tee may start when the binary, and the directory, are gone
	"$@" <&0 > >(exec tee "/dev/fd/$output") {output}>&- &
	binary=$!
	trap 'kill -TERM $binary' TERM
	trap 'kill -INT $binary' INT
	trap 'kill -QUIT $binary' QUIT
	watch $binary >/dev/null 2>&1 &
	while wait $binary; status=$?; [ $status -gt 128 ] && kill -0 $binary 2>/dev/null; do :; done
	kill $! 2>/dev/null
	[ -s "$notes/hung" ] || exit $status
	read -r pid _ <"$notes/hung"
	echo >&2 # the line of a test may be unfinished
	echo "again.sh: $1: a fork hung in qemu-user, process $pid, in run $run of at most 3" >&2
	if grep -q $'^\x16\\?--- FAIL: ' "$notes/output"; then
		echo "again.sh: the tests do not run again, because one had failed before" >&2
		exit 1
	fi
done
echo "again.sh: found 3 hung forks, allowed: 2; to do: run the tests on an arm64 machine" >&2
exit 1
