package ovs

import (
	"strings"

	"dpukv/placement/submode/step"
)

// The columns that make up a port and its interface, as a person configures them. Open vSwitch 2.10
// and later have all of them.
var (
	portColumns = []string{
		"tag", "trunks", "vlan_mode", "cvlans", "qos", "external_ids", "other_config",
	}
	interfaceColumns = []string{
		"type", "options", "mac", "mtu_request", "ofport_request", "ingress_policing_rate",
		"ingress_policing_burst", "bfd", "lldp", "external_ids", "other_config",
	}
)

// TakePort takes a port out of the bridge that it is in, which is not ours. The undo puts it back
// with its options and its OpenFlow number. A port in a bond and a mirrored one are refused, as
// their surroundings can't be put back.
func (s Switch) TakePort(port string) step.Step {
	return step.Step{
		Purpose: port + " out of the bridge that it is in",
		Run: step.Shell(`
command -v ovs-vsctl >/dev/null || exit 0
bridge=$(ovs-vsctl --timeout=30 port-to-br "$1" 2>/dev/null) || exit 0
test "$bridge" = "$2" || exec ovs-vsctl --timeout=30 del-port "$bridge" "$1"`, port, s.Bridge),
		State: step.Shell(portState, port, s.Bridge,
			strings.Join(portColumns, " "), strings.Join(interfaceColumns, " ")),
		Undo: step.Shell(putBack, port, step.AsFound),
		Advice: "see ovs-vsctl show. If Open vSwitch is down: systemctl start " +
			"openvswitch-switch. Take a port out of a bond or a mirror " +
			"by hand, and remember to put it back",
	}
}

// portState prints the bridge of a port, its OpenFlow number, and a line for each column; nothing
// if it is in no bridge or in ours, or without Open vSwitch.
const portState = `
port=$1 ours=$2 columns=$3 more=$4
ask() { ovs-vsctl --timeout=30 "$@"; }
command -v ovs-vsctl >/dev/null || exit 0
if bridge=$(ask iface-to-br "$port" 2>/dev/null); then
	test "$bridge" != "$ours" || exit 0
else
	ask list-br >/dev/null || exit
	exit 0
fi
if ! ask port-to-br "$port" >/dev/null 2>&1; then
	echo "found $port in a bond of bridge $bridge, allowed: a port of its own" >&2
	exit 1
fi
if test -n "$(ask --bare --columns=name list mirror)"; then
	echo "found a mirror in Open vSwitch, allowed: none, as it forgets a port that leaves" >&2
	exit 1
fi
echo "$bridge"
ask get interface "$port" ofport
rows() {
	table=$1
	shift
	values=$(ask get "$table" "$port" "$@") || return
	printf '%s\n' "$values" | while IFS= read -r v; do printf '%s\n' "$table $1=$v" && shift; done
}
rows port $columns && rows interface $more`

// putBack adds the port with its old OpenFlow number, so that rules by number hold. A bridge that
// somebody has removed since takes nothing back.
const putBack = `
printf '%s\n' "$2" | {
	port=$1
	read -r bridge && read -r number || exit 0
	ovs-vsctl --timeout=30 br-exists "$bridge" || { test $? = 2 && exit 0; exit 1; }
	set -- --may-exist add-port "$bridge" "$port"
	test "$number" -gt 0 2>/dev/null && set -- "$@" -- set interface "$port" "ofport_request=$number"
	later=
	while read -r table value; do
		case $value in
		ofport_request=*) later=$value ;;
		*) set -- "$@" -- set "$table" "$port" "$value" ;;
		esac
	done
	ovs-vsctl --timeout=30 "$@" || exit
	ovs-vsctl --timeout=30 set interface "$port" "$later"
}`
