package rehearsal

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dpukv/internal/foreign"
)

// state is the folder with the state of the emulated card. It lies in a private /run.
const state = "/run/card"

// Subcommand is the hidden command of dpukv that is one of the card's tools.
const Subcommand = "rehearsal-tool"

// Tool is a tool of the emulated card. It does nothing elsewhere.
func Tool(name string, args []string) error {
	program, ok := emulated[name]
	if _, err := os.Stat(state); err != nil || !ok {
		return fmt.Errorf("found no emulated card here with a tool %s", name)
	}
	program(args)
	return nil
}

// emulated are the emulated programs by their names. Each has its arguments.
var emulated = map[string]func(args []string){
	"mlxconfig": mlxconfig, "devlink": devlink, "systemctl": systemctl, "ethtool": ethtool,
	"ip": ip, "tc": tc, "ovs-vsctl": vsctl, "ovs-appctl": appctl, "dpdk-testpmd": testpmd,
}

// faulty reports whether a fault is switched on.
func faulty(name string) bool { return holds("fault-" + name) }

// kernelHasDatapath reports whether the kernel has Open vSwitch's datapath, as boot found it.
func kernelHasDatapath() bool { return holds("kernel-datapath") }

func holds(name string) bool {
	_, err := os.Stat(filepath.Join(state, name))
	return err == nil
}

func read(name string) string {
	text, _ := os.ReadFile(filepath.Join(state, name))
	return strings.TrimSpace(string(text))
}

func write(name, text string) {
	if err := os.WriteFile(filepath.Join(state, name), []byte(text), 0o600); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// installed returns the path of the machine's own program.
func installed(name string) string {
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	fail(fmt.Errorf("found no program %s", name))
	return ""
}

// become runs the machine's own program in the place of this process.
func become(name string, args ...string) {
	fail(syscall.Exec(installed(name), append([]string{name}, args...), os.Environ()))
}

// output runs the machine's own program. It ends this process where that program fails.
func output(name string, args ...string) string {
	cmd := exec.Command(installed(name), args...)
	cmd.Stderr = os.Stderr
	out, err := foreign.Run(cmd)
	if err != nil {
		fmt.Print(string(out))
		fail(fmt.Errorf("%s: %w", name, err))
	}
	return string(out)
}

func mlxconfig(args []string) {
	if text := said("mlxconfig"); text != "" && strings.Contains(text, args[len(args)-1]) {
		fmt.Print(text)
		os.Exit(3)
	}
	model, engine := "EMBEDDED_CPU(1)", "ENABLED(0)"
	switch {
	case faulty("off-path"):
		model = "SEPERATED_HOST(0)"
	case faulty("nic-mode"):
		engine = "DISABLED(1)"
	}
	fmt.Printf(`
Configurations:                              Default             Current         Next Boot
        INTERNAL_CPU_MODEL                   EMBEDDED_CPU(1)     %[1]s     %[1]s
        INTERNAL_CPU_OFFLOAD_ENGINE          ENABLED(0)          %[2]s          %[2]s
`, model, engine)
}

func devlink(args []string) {
	if slices.Contains(args, "enable_roce") {
		fmt.Printf("%s:\n  name enable_roce type generic\n    values:\n"+
			"      cmode driverinit value true\n", args[3])
		return
	}
	mode := "switchdev"
	switch {
	case faulty("legacy"):
		mode = "legacy"
	case faulty("inactive"):
		mode = "switchdev_inactive"
	}
	text := cmp.Or(said("devlink"),
		"pci/"+PCI+": mode switchdev inline-mode none encap-mode basic\n")
	fmt.Print(strings.Replace(text, "switchdev", mode, 1))
}

// systemctl restarts the switch. An unknown service fails, as on a system without it.
func systemctl(args []string) {
	if args[0] == "is-active" {
		if args[1] != "openvswitch-switch" {
			fmt.Println("inactive")
			os.Exit(3)
		}
		fmt.Println("active")
		return
	}
	byName := slices.Equal(args, []string{"restart", "ovsdb-server", "ovs-vswitchd"})
	switch {
	case !byName && (len(args) != 2 || args[1] != "openvswitch-switch"):
		fail(fmt.Errorf("%s", "Unit "+args[len(args)-1]+".service not found."))
	case args[0] == "cat", faulty("restart-nothing") && !byName, faulty("restart-never"):
		return
	}
	stopSwitch()
	emulateDOCA()
	write("offloads", fmt.Sprint(offloads()))
	if faulty("init-fails") {
		fail(fmt.Errorf("%s", "Job for openvswitch-switch.service failed"))
	}
	start := exec.Command("/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk", "--detach",
		"--no-chdir", "--pidfile", "--enable-dummy", "--log-file="+state+"/vswitchd.log",
		"-vconsole:off")
	start.Args[0] = "ovs-vswitchd" // which its sockets and its PID file are named after
	start.Stderr = os.Stderr
	if err := start.Run(); err != nil {
		fail(err)
	}
}

func stopSwitch() {
	text, err := os.ReadFile("/run/openvswitch/ovs-vswitchd.pid")
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		fail(err)
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	for end := time.Now().Add(20 * time.Second); syscall.Kill(pid, 0) == nil; {
		if time.Now().After(end) {
			fail(fmt.Errorf("ovs-vswitchd %d does not end", pid))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Where a card's ports count, by the interface's own statistics.
func statistic(port, name string) uint64 {
	text, err := os.ReadFile("/sys/class/net/" + port + "/statistics/" + name)
	if err != nil {
		fail(err)
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		fail(err)
	}
	return v
}

// ethtool has the counters of mlx5, and a setting that veth lacks.
func ethtool(args []string) {
	switch {
	case len(args) == 2 && args[0] == "-S":
		counters(args[1])
	case len(args) == 2 && args[0] == "-k":
		fmt.Printf("Features for %s:\nhw-tc-offload: %s\n", args[1],
			cmp.Or(read("hw-tc-offload-"+args[1]), "on"))
	case len(args) == 4 && args[0] == "-K" && args[2] == "hw-tc-offload":
		if args[3] == "off" && read("offloads") == "true" {
			fail(fmt.Errorf("mlx5_core: Active offloaded tc filters, can't turn hw_tc_offload off"))
		}
		write("hw-tc-offload-"+args[1], args[3])
	default:
		become("ethtool", args...)
	}
}

func counters(port string) {
	all := func(way, what string) string { return way + "_" + what + "_phy" }
	if port != "p0" || said("uplink") != "" { // an older kernel names both sets alike
		all = func(way, what string) string { return "vport_" + way + "_" + what }
	}
	var others, more uint64
	switch {
	case faulty("other-traffic"):
		more = 500
	case faulty("few-packets") && port == "p0":
		more = 12
	}
	if more > 0 {
		n, _ := strconv.ParseUint(read("others"), 10, 64)
		others = n + more
		write("others", strconv.FormatUint(others, 10))
	}
	fmt.Println("NIC statistics:")
	for _, way := range []string{"rx", "tx"} {
		fmt.Printf("     %s: %d\n", all(way, "packets"), statistic(port, way+"_packets")+others)
		fmt.Printf("     %s: %d\n", all(way, "bytes"), statistic(port, way+"_bytes"))
	}
	byCPU := uint64(0)
	if kernelForwards() || faulty("cpu-sees") {
		byCPU = statistic(port, "rx_packets")
	}
	fmt.Printf("     rx_packets: %d\n", byCPU)
}

// ip returns counters that are one read old, and those of two eSwitches: the second has other
// traffic.
func ip(args []string) {
	switch text := strings.Join(args, " "); {
	case text == "-d -j link show" && faulty("lag"):
		fmt.Print(strings.Replace(output("ip", args...), `"ifname":"p0",`, `"ifname":"p0","master":"bond0",`, 1))
		return
	case strings.HasPrefix(text, "-j stats"):
		n, _ := strconv.Atoi(read("hits"))
		write("hits", strconv.Itoa(n+100000))
		fmt.Printf(`[{"ifname":"p0","stats64":{"rx":{"packets":10}}},{"ifname":"p1","stats64":{"rx":{"packets":%d}}}]`, n)
		return
	}
	if !slices.Equal(args, []string{"-j", "-s", "link", "show"}) {
		become("ip", args...)
	}
	now := output("ip", args...)
	old := cmp.Or(read("ip-s"), now)
	write("ip-s", now)
	fmt.Print(old)
}

// tc has the rules of an eSwitch, where the switch offloads.
func tc(args []string) {
	if len(args) != 6 || args[0] != "-s" || args[1] != "filter" || !offloads() {
		become("tc", args...)
	}
	if kernelHasDatapath() {
		fmt.Print(inHardware(output("tc", args...)))
		return
	}
	port := args[4]
	const rule = `filter protocol ip pref 2 flower chain 0
filter protocol ip pref 2 flower chain 0 handle 0x1
  eth_type ipv4
  %s
	action order 1: mirred (Egress Redirect to device) stolen
 	Sent %d bytes %[3]d pkt (dropped 0, overlimits 0 requeues 0)
	Sent software 0 bytes 0 pkt
	Sent hardware %[2]d bytes %[3]d pkt
`
	where := "in_hw in_hw_count 1"
	if faulty("not-in-hardware") {
		where = "not_in_hw"
	}
	fmt.Printf(rule, where, statistic(port, "rx_bytes"), statistic(port, "rx_packets"))
}

var sent = regexp.MustCompile(`Sent (\d+ bytes \d+ pkt) \(.*`)

// inHardware tells the switch's own rules, which the kernel follows, as an eSwitch's.
func inHardware(rules string) string {
	if faulty("not-in-hardware") {
		return rules
	}
	rules = strings.ReplaceAll(rules, "not_in_hw", "in_hw in_hw_count 1")
	return sent.ReplaceAllString(rules, "$0\n\tSent hardware $1")
}

// testpmd runs the machine's own program with AF_PACKET's devices in the place of mlx5's.
func testpmd(args []string) {
	argv := []string{
		"dpdk-testpmd", "--no-huge", "-m", "256", "--no-pci", "--iova-mode=va", "--no-telemetry",
		"--vdev", afPacket("0", "p0"), "--vdev", afPacket("1", "pf0hpf"),
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-a":
			i++
		case strings.HasPrefix(a, "--total-num-mbufs"):
			argv = append(argv, "--total-num-mbufs=16384", "--no-mlockall")
		default:
			argv = append(argv, a)
		}
	}
	fail(syscall.Exec(realTestpmd, argv, os.Environ()))
}

func afPacket(id, port string) string {
	return "net_af_packet" + id + ",iface=" + port +
		",framesz=2048,framecnt=8192,blocksz=65536,qdisc_bypass=1"
}
