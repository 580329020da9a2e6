package ovs

import (
	"fmt"
	"strings"
	"time"

	"dpukv/placement/submode/iplink"
	"dpukv/placement/submode/process"
	"dpukv/placement/submode/step"
)

// Switch is an Open vSwitch with our bridge in it.
type Switch struct {
	Dir    string // of one of our own; "": the system's
	Bridge string
}

// The programs of Open vSwitch, and its schema.
const (
	Vswitchd     = "ovs-vswitchd"
	VswitchdDPDK = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
	Schema       = "/usr/share/openvswitch/vswitch.ovsschema"
)

// The PID files, in the folder, of our own switch and of its database, and the PID file of the
// system's switch.
const (
	VswitchdPID = "ovs-vswitchd.pid"
	databasePID = "ovsdb-server.pid"
	SystemPID   = "/var/run/openvswitch/" + VswitchdPID
)

// startTimeout bounds the start of daemons: on a slow machine, Open vSwitch takes seconds.
const startTimeout = 30 * time.Second

func (s Switch) file(name string) string { return s.Dir + "/" + name }

// own returns a command of Open vSwitch, or of DPDK in it, with its sockets and files in the
// folder.
func (s Switch) own(argv ...string) []string {
	return append([]string{"env", "OVS_RUNDIR=" + s.Dir, "RUNTIME_DIRECTORY=" + s.Dir}, argv...)
}

// Vsctl returns a command for the switch's database.
func (s Switch) Vsctl(args ...string) []string {
	if s.Dir == "" {
		return append([]string{"ovs-vsctl"}, args...)
	}
	vsctl := []string{"ovs-vsctl", "--db=unix:" + s.file("db.sock"), "--timeout=30"}
	return s.own(append(vsctl, args...)...)
}

// Appctl returns a command for the switch.
func (s Switch) Appctl(args ...string) []string {
	if s.Dir == "" {
		return append([]string{"ovs-appctl", "--timeout=10"}, args...)
	}
	appctl := []string{"ovs-appctl", "--timeout=10", "--target=" + s.file("ovs-vswitchd.ctl")}
	return s.own(append(appctl, args...)...)
}

// Ofctl returns a command for the rules of the bridge.
func (s Switch) Ofctl(command string, args ...string) []string {
	if s.Dir == "" {
		return append([]string{"ovs-ofctl", "--timeout=10", command, s.Bridge}, args...)
	}
	ofctl := []string{"ovs-ofctl", "--timeout=10", command, "unix:" + s.file(s.Bridge+".mgmt")}
	return s.own(append(ofctl, args...)...)
}

// Check looks for the requirements of our own switch.
func (s Switch) Check() []step.Step {
	const pkg = "openvswitch-switch"
	list := []step.Step{{
		Purpose: "Open vSwitch's schema", Run: []string{"test", "-r", Schema},
		Advice: "install Debian's openvswitch-switch, or what your system calls it",
	}}
	for _, name := range []string{
		"ovsdb-tool", "ovsdb-server", Vswitchd, "ovs-vsctl", "ovs-appctl", "ovs-ofctl",
	} {
		list = append(list, step.Program(name, pkg))
	}
	return append(list, step.Step{
		Purpose: "no other Open vSwitch with a netdev datapath here",
		Run:     []string{"ip", "-j", "link", "show"}, Expect: iplink.Lacks("ovs-netdev", s.Bridge),
		Advice: "another Open vSwitch forwards in this network namespace: " +
			"forward in one of its own (via: netns)",
	})
}

// CheckKernel also looks for the requirements of its kernel datapath.
func (s Switch) CheckKernel() []step.Step {
	return append(s.Check(), step.Step{
		Purpose: "a kernel with the module openvswitch, and no datapath in it yet",
		Run:     step.Shell(`modprobe -q openvswitch 2>/dev/null || :; ovs-dpctl dump-dps`),
		Expect:  step.Empty,
		Advice: "a kernel with the module openvswitch, as Debian's has; where another Open " +
			"vSwitch has the datapath already: a network namespace of its own (via: netns)",
	})
}

// StartOptions are the options to start our own switch.
type StartOptions struct {
	Program string // Vswitchd, VswitchdDPDK
	CPUs    []int  // to which it is pinned; nil: none
	// Initial are keys of other_config in the first configuration; nil: it is empty. InitialPurpose
	// describes their purpose.
	Initial        []string
	InitialPurpose string
	// Config are keys of other_config, set one by one.
	Config []string
}

// Start starts our own switch.
func (s Switch) Start(o *StartOptions) []step.Step {
	daemon := s.daemon("ovs-vswitchd", o.Program, "unix:"+s.file("db.sock"))
	if o.CPUs != nil {
		daemon = append([]string{"taskset", "-c", process.CPUList(o.CPUs)}, daemon...)
	}
	server := s.daemon("ovsdb-server", "ovsdb-server",
		"--remote=punix:"+s.file("db.sock"), s.file("conf.db"))
	list := []step.Step{
		{
			Purpose: "interfaces of the switch's own, which outlive it, removed at the end",
			Undo: step.Shell(`for i in "$@"; do ip link del dev "$i" 2>/dev/null || :; done`,
				s.Bridge, "ovs-netdev"),
		},
		{
			Purpose: "a database of our own",
			Run:     []string{"ovsdb-tool", "create", s.file("conf.db"), Schema},
		},
		{Purpose: "its server", Run: s.own(server...), Undo: s.database().Stop()},
		s.configure(o),
	}
	for _, c := range o.Config {
		list = append(list, step.Step{
			Purpose: "configure " + strings.SplitN(c, "=", 2)[0],
			Run:     s.Vsctl("--no-wait", "set", "Open_vSwitch", ".", "other_config:"+c),
		})
	}
	return append(list, step.Step{
		Purpose: "the switch", Run: s.own(daemon...), Undo: s.vswitchd().Stop(),
	})
}

// configure makes the switch's first configuration.
func (s Switch) configure(o *StartOptions) step.Step {
	if o.Initial == nil {
		return step.Step{Purpose: "an empty configuration", Run: s.Vsctl("--no-wait", "init")}
	}
	args := []string{"--no-wait", "init", "--", "set", "Open_vSwitch", "."}
	for _, c := range o.Initial {
		args = append(args, "other_config:"+c)
	}
	return step.Step{Purpose: o.InitialPurpose, Run: s.Vsctl(args...)}
}

// daemon returns a daemon's arguments: it writes only to the folder.
func (s Switch) daemon(name, program string, args ...string) []string {
	return append([]string{
		program, "--detach", "--no-chdir", "--pidfile=" + s.file(name+".pid"),
		"--unixctl=" + s.file(name+".ctl"), "--log-file=" + s.file(name+".log"), "-vconsole:off",
	}, args...)
}

func (s Switch) vswitchd() process.Process { return s.process(VswitchdPID) }

func (s Switch) database() process.Process { return s.process(databasePID) }

func (s Switch) process(pidFile string) process.Process {
	return process.Process{Dir: s.Dir, File: pidFile, Mark: "--pidfile=" + s.file(pidFile)}
}

// AddBridge returns the arguments of ovs-vsctl that make our bridge with its ports. options follow
// the bridge's own; define returns the options of a port, and may be nil.
func (s Switch) AddBridge(
	datapathType string, options, ports []string, define func(port string) []string,
) []string {
	args := []string{
		"add-br", s.Bridge, "--", "set", "bridge", s.Bridge, "datapath_type=" + datapathType,
		"fail_mode=standalone",
	}
	args = append(args, options...)
	for _, name := range ports {
		args = append(args, "--", "add-port", s.Bridge, name)
		if define != nil {
			args = append(append(args, "--", "set", "interface", name), define(name)...)
		}
	}
	return args
}

// BridgePorts makes our bridge with both ports in our own switch.
func (s Switch) BridgePorts(
	datapathType string, ports []string, define func(port string) []string,
) step.Step {
	return step.Step{
		Purpose: "a bridge between the ports",
		Run:     s.Vsctl(s.AddBridge(datapathType, nil, ports, define)...),
	}
}

// Verify expects our own switch to run with both ports in its bridge, without an error.
func (s Switch) Verify(ports []string) []step.Step {
	list := []step.Step{s.database().Runs("the database's server"), s.vswitchd().Runs("the switch")}
	list = append(list, s.VerifyPorts(ports)...)
	return append(list, step.Step{
		Purpose: "the bridge forwards as a switch", Run: s.Ofctl("dump-flows"),
		Expect: step.Contains("NORMAL"), Within: startTimeout,
	})
}

// VerifyPorts expects ports to be in the bridge and to work.
func (s Switch) VerifyPorts(ports []string) (list []step.Step) {
	for _, port := range ports {
		list = append(list,
			step.Step{
				Purpose: port + " is in our bridge", Run: s.Vsctl("port-to-br", port),
				Expect: step.Is(s.Bridge),
			},
			step.Step{
				Purpose: port + " works", Within: startTimeout, Expect: works,
				Run: s.Vsctl("--bare", "--columns=error,ofport", "list", "interface", port),
			})
	}
	return list
}

// works reads the columns error and ofport. ofport is -1 for a port that the datapath lacks.
func works(out string) error {
	fields := strings.Fields(out)
	if len(fields) != 1 || fields[0] == "-1" {
		return fmt.Errorf("found %q, allowed: a number and no error", step.Shorten(out))
	}
	return nil
}

// Quote makes a value one word for ovs-vsctl.
func Quote(value string) string { return `"` + value + `"` }
