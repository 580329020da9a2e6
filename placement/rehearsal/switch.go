package rehearsal

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dpukv/internal/foreign"
)

// emulatedExtra are arguments of DPDK without mlx5 and without huge pages.
const emulatedExtra = "--no-huge --legacy-mem --no-pci --iova-mode=va -m 512 --file-prefix=card " +
	"--no-telemetry"

// The key asked has the dpdk-extra that was asked for.
const asked = "external_ids:asked-dpdk-extra"

// vsctl is ovs-vsctl with devices of DPDK that are there, and with the columns of OVS-DOCA.
func vsctl(args []string) {
	text := strings.Join(args, " ")
	switch {
	case strings.Contains(text, "other_config:dpdk-extra="):
		for i, a := range args {
			if value, ok := strings.CutPrefix(a, "other_config:dpdk-extra="); ok {
				args = append(args[:i:i],
					"other_config:dpdk-extra="+strconv.Quote(emulatedExtra), asked+"="+value)
				break
			}
		}
	case strings.HasSuffix(text, "get Open_vSwitch . other_config:dpdk-extra"):
		args[len(args)-1] = asked
	case strings.HasSuffix(text, "remove Open_vSwitch . other_config dpdk-extra"):
		args = append(args, "--", "remove", "Open_vSwitch", ".", "external_ids", "asked-dpdk-extra")
	case strings.HasSuffix(text, "list Open_vSwitch") && !faulty("no-doca"):
		fmt.Print(output("ovs-vsctl", args...))
		fmt.Printf("doca_initialized    : %t\ndoca_version        : %q\n", read("doca") != "",
			word("list", `doca_version +: (\S+)`, "2.9.0"))
		return
	}
	become("ovs-vsctl", devices(args)...)
}

// devices translates the datapath and the devices of a new bridge.
func devices(args []string) (translated []string) {
	for i, a := range args {
		switch {
		case a == "datapath_type=system" && !kernelHasDatapath():
			a = "datapath_type=netdev"
		case strings.HasPrefix(a, "options:dpdk-devargs="):
			continue
		case a == "type=dpdk":
			port := args[i-1]
			translated = append(translated,
				"options:dpdk-devargs="+strconv.Quote(afPacket("_"+port, port)))
		}
		translated = append(translated, a)
	}
	return translated
}

// key reads a key of other_config as it is in the database.
func key(name string) string {
	value := output("ovs-vsctl", "--timeout=5", "--if-exists", "get",
		"Open_vSwitch", ".", "other_config:"+name)
	return strings.Trim(strings.TrimSpace(value), `"`)
}

func offloads() bool { return key("hw-offload") == "true" }

// kernelForwards reports whether our bridge has the ports as the kernel's interfaces, without an
// eSwitch.
func kernelForwards() bool {
	ask := func(words ...string) ([]byte, error) {
		words = append([]string{"--timeout=5"}, words...)
		return foreign.Run(exec.Command(installed("ovs-vsctl"), words...))
	}
	out, err := ask("--bare", "--columns=type", "find", "interface", "name=p0")
	inBridge, _ := ask("port-to-br", "p0")
	return err == nil && len(inBridge) > 0 && strings.TrimSpace(string(out)) != "dpdk" &&
		!offloads()
}

// emulateDOCA initializes DPDK in the place of DOCA, before the switch starts.
func emulateDOCA() {
	set := func(args ...string) {
		output("ovs-vsctl", append([]string{"--no-wait"}, args...)...)
	}
	switch {
	case key("doca-init") == "true":
		set("set", "Open_vSwitch", ".", "other_config:dpdk-init=true",
			"other_config:dpdk-extra="+strconv.Quote(emulatedExtra))
		write("doca", "runs")
	case read("doca") != "":
		set("remove", "Open_vSwitch", ".", "other_config", "dpdk-init", "dpdk-extra")
		if err := os.Remove(state + "/doca"); err != nil {
			fail(err)
		}
	}
}

var (
	shownPort = regexp.MustCompile(`(?m)^\s+port (\d+): (\S+)`)
	received  = regexp.MustCompile(`packets received: \d+`)
	counted   = regexp.MustCompile(`packets:(\d+), bytes:(\d+)`)
)

// appctl is ovs-appctl. Where the switch offloads, it tells the flows as an eSwitch's. Where it
// runs OVS-DOCA, its datapath has the name that recent releases print.
func appctl(args []string) {
	doca := read("doca") != ""
	docas := word("dpif", `(?m)^(doca@\S+):`, "doca@ovs-doca")
	_, bare, _ := strings.Cut(docas, "@")
	for i, a := range args {
		switch {
		case a == "system@ovs-system" && !kernelHasDatapath():
			args[i] = "netdev@ovs-netdev"
		case doca && a == docas:
			args[i] = "netdev@ovs-netdev"
		case doca && a == bare:
			args[i] = "ovs-netdev"
		case doca && strings.HasSuffix(a, "ovs-netdev"):
			fail(fmt.Errorf("found no datapath %s: OVS-DOCA has %s", a, docas))
		}
	}
	switch {
	case slices.Contains(args, "dpif-netdev/pmd-stats-show") && faulty("no-pmd-stats"):
		fail(fmt.Errorf(`"dpif-netdev/pmd-stats-show" is not a valid command (use --help)`))
	case doca && slices.Contains(args, "dpif/show"):
		fmt.Print(strings.ReplaceAll(output("ovs-appctl", args...), "netdev@ovs-netdev", docas))
	case slices.Contains(args, "dpctl/dump-flows"):
		fmt.Print(flows(output("ovs-appctl", args...), slices.Contains(args, "system@ovs-system")))
	case slices.Contains(args, "dpif-netdev/pmd-stats-show") && offloads() && !faulty("polled"):
		fmt.Print(received.ReplaceAllString(output("ovs-appctl", args...), "packets received: 0"))
	default:
		become("ovs-appctl", args...)
	}
}

// flows tells flows as an eSwitch's. Of the kernel's datapath, these are the switch's own rules in
// traffic control.
func flows(out string, kernel bool) string {
	if faulty("numbers") {
		datapath := "netdev@ovs-netdev"
		if kernelHasDatapath() {
			datapath = "system@ovs-system"
		}
		shown := output("ovs-appctl", "dpctl/show", datapath)
		for _, m := range shownPort.FindAllStringSubmatch(shown, -1) {
			out = strings.ReplaceAll(out, "in_port("+m[2]+")", "in_port("+m[1]+")")
		}
	}
	switch {
	case kernel && offloads() && !faulty("not-offloaded"):
		return strings.ReplaceAll(out, "dp:tc", "offloaded:yes, dp:tc")
	case offloads() && faulty("partial"):
		return strings.ReplaceAll(out, "dp:ovs", "offloaded:partial, dp:ovs")
	case offloads() && !faulty("not-offloaded"):
		layer := "dp:dpdk"
		if read("doca") != "" {
			layer = "dp:doca"
		}
		return strings.ReplaceAll(out, "dp:ovs", "offloaded:yes, "+layer)
	case faulty("gro"):
		return counted.ReplaceAllStringFunc(out, joined)
	}
	return out
}

// joined counts a flow as after GRO, which made one packet of two.
func joined(text string) string {
	m := counted.FindStringSubmatch(text)
	packets, _ := strconv.ParseUint(m[1], 10, 64)
	bytes, _ := strconv.ParseUint(m[2], 10, 64)
	const headers = 14 + 20 + 32
	lost := packets / 2
	return fmt.Sprintf("packets:%d, bytes:%d", packets-lost, bytes-min(bytes, headers*lost))
}
