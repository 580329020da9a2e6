package submode

import (
	"fmt"
	"strings"
)

// own runs a command of OvS, or of DPDK in it, whose sockets and files are in the folder.
func (s *site) own(argv ...string) []string {
	return append([]string{"env", "OVS_RUNDIR=" + s.dir, "RUNTIME_DIRECTORY=" + s.dir}, argv...)
}

func (s *site) vsctl(args ...string) []string {
	return s.own(append([]string{"ovs-vsctl", "--db=unix:" + s.file("db.sock"), "--timeout=30"}, args...)...)
}

// appctl asks our switch, or the card's only one.
func (s *site) appctl(args ...string) []string {
	if s.cfg.Target == BlueField {
		return append([]string{"ovs-appctl", "--timeout=10"}, args...)
	}
	return s.own(append([]string{"ovs-appctl", "--timeout=10", "--target=" + s.file("ovs-vswitchd.ctl")}, args...)...)
}

func (s *site) ofctl(command string, args ...string) []string {
	if s.cfg.Target == BlueField {
		return append([]string{"ovs-ofctl", "--timeout=10", command, bridge}, args...)
	}
	return s.own(append([]string{"ovs-ofctl", "--timeout=10", command, "unix:" + s.file(bridge+".mgmt")}, args...)...)
}

// daemon are an OvS daemon's arguments: everything it writes lies in the folder.
func (s *site) daemon(name, program string, args ...string) []string {
	return append([]string{
		program, "--detach", "--no-chdir", "--pidfile=" + s.file(name+".pid"),
		"--unixctl=" + s.file(name+".ctl"), "--log-file=" + s.file(name+".log"), "-vconsole:off",
	}, args...)
}

// startOVS starts an Open vSwitch of our own with this configuration.
func (s *site) startOVS(vswitchd string, pinned bool, config ...string) []Step {
	daemon := s.daemon("ovs-vswitchd", vswitchd, "unix:"+s.file("db.sock"))
	if pinned {
		daemon = append([]string{"taskset", "-c", cpuList(s.cfg.CPUs)}, daemon...)
	}
	list := []Step{
		{
			Says: "interfaces of the switch's own, which outlive it, removed at the end",
			Undo: sh(`for i in "$@"; do ip link del dev "$i" 2>/dev/null || :; done`, bridge, "ovs-netdev"),
		},
		{Says: "a database of our own", Run: []string{"ovsdb-tool", "create", s.file("conf.db"), schema}},
		{
			Says: "its server", Run: s.own(s.daemon("ovsdb-server", "ovsdb-server", "--remote=punix:"+s.file("db.sock"), s.file("conf.db"))...),
			Undo: s.stop(ovsdbPID),
		},
		{Says: "an empty configuration", Run: s.vsctl("--no-wait", "init")},
	}
	for _, c := range config {
		list = append(list, Step{Says: "configure " + strings.SplitN(c, "=", 2)[0], Run: s.vsctl("--no-wait", "set", "Open_vSwitch", ".", "other_config:"+c)})
	}
	return append(list, Step{
		Says: "the switch", Run: s.own(daemon...), Undo: s.stop(vswitchdPID),
	})
}

// addBridge makes our bridge with both ports; port are the arguments that define one.
func (s *site) addBridge(datapathType string, port func(name string) []string) []Step {
	args := []string{"add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=" + datapathType, "fail_mode=standalone"}
	for _, name := range s.ports() {
		args = append(args, "--", "add-port", bridge, name)
		if port != nil {
			args = append(append(args, "--", "set", "interface", name), port(name)...)
		}
	}
	return []Step{{Says: "a bridge between the ports", Run: s.vsctl(args...)}}
}

// roomy runs a command while sockets get 8 MB for what they receive: those of AF_PACKET drop at the default. The setting is
// one for the whole machine, changed (and, by older kernels, shown) in its first namespace only, and by one
// of us at a time. Where that namespace is out of reach, as in some containers, the sockets keep the default.
func roomy(argv []string) []string {
	return append(sh(`
exec 9</run
flock 9
there() { nsenter --target 1 --net sysctl "$@"; }
resize() { there -qw net.core.rmem_default="$1"; }
old=$(there -n net.core.rmem_default) || exec "$@"
trap 'resize "$old"' EXIT
trap 'exit 1' HUP INT TERM
resize 8388608
"$@"`), argv...)
}

// verifyOVS wants the switch to run with both ports in its bridge, without an error.
func (s *site) verifyOVS() []Step {
	list := []Step{s.runs(ovsdbPID, "the database's server"), s.runs(vswitchdPID, "the switch")}
	for _, port := range s.ports() {
		list = append(list,
			Step{Says: port + " is in our bridge", Run: s.vsctl("port-to-br", port), Want: is(bridge)},
			Step{
				Says: port + " works", Within: startPatience, Want: up,
				Run: s.vsctl("--bare", "--columns=error,ofport", "list", "interface", port),
			})
	}
	return append(list, Step{Says: "the bridge forwards as a switch", Run: s.ofctl("dump-flows"), Want: contains("NORMAL"), Within: startPatience})
}

// up takes the columns error and ofport, which is -1 for a port that the datapath does not have.
func up(out string) error {
	fields := strings.Fields(out)
	if len(fields) != 1 || fields[0] == "-1" {
		return fmt.Errorf("found %q, allowed: a number and no error", shorten(out))
	}
	return nil
}
