package submode

import (
	"dpukv/placement/submode/step"
)

func init() {
	stop := func(l *Lease) []string { return step.Shell(`echo stop >"$1/in"`, l.dir) }
	detours[testpmd] = []detour{{"stopped", stop, redirecting, []string{notTaken}}}
	detours[testpmdXDP] = []detour{{"program removed", xdpOff, redirecting, []string{notTaken}}}
}
