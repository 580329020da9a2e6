package submode

import (
	"dpukv/placement/submode/step"
)

func init() {
	detours[ovsFlower] = []detour{
		{"redirect beneath", nil, redirecting, []string{notTaken}},
		{"mirror beneath", nil, mirroring, []string{twice}},
		{"without hw-offload", withoutOffload, nil, []string{restarted, elsewhere}},
	}
}

// withoutOffload restarts the switch, which reads hw-offload only at its start.
func withoutOffload(l *Lease) []string {
	return step.Shell(`
set -eu
ovs-vsctl --db="unix:$1/db.sock" --no-wait set Open_vSwitch . other_config:hw-offload=false
pid=$(cat "$1/ovs-vswitchd.pid")
again=$(tr '\0' ' ' <"/proc/$pid/cmdline")
kill "$pid"
while test -d "/proc/$pid"; do sleep 0.1; done
OVS_RUNDIR=$1 $again`, l.dir)
}
