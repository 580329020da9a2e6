package submode

import (
	"fmt"
	"strings"
)

const testpmdPID = "testpmd.pid"

// linuxTestpmd are DPDK's own forwarder over the two ways into the kernel's interfaces.
func linuxTestpmd() []*datapath {
	with := func(name, driver string, onlyAsked bool) *datapath {
		return &datapath{
			name: name, target: Linux, submodes: []string{SM3}, is: "dpdk-testpmd, io forwarding over " + driver, onlyAsked: onlyAsked,
			has: (*site).hasTestpmd, steps: (*site).testpmdSteps, verify: (*site).verifyTestpmd, count: countTestpmd, pidFiles: []string{testpmdPID}, filters: byTestpmd,
		}
	}
	return []*datapath{with("testpmd", "AF_PACKET", false), with("testpmd-xdp", "AF_XDP", true)}
}

func (s *site) hasTestpmd() []Step {
	return []Step{
		program("dpdk-testpmd", "dpdk-dev"),
		{
			Says: "DPDK's drivers for the kernel's interfaces",
			Run:  sh(`ls /usr/lib/*/dpdk/pmds-*/librte_net_"$1".so* /usr/local/lib*/dpdk/pmds-*/librte_net_"$1".so* 2>/dev/null | head -1`, s.driver()),
			Want: contains("librte_net"), Else: "install Debian's librte-net-" + strings.ReplaceAll(s.driver(), "_", "-") + "23",
		},
	}
}

func (s *site) driver() string {
	if strings.HasSuffix(s.datapath.name, "-xdp") {
		return "af_xdp"
	}
	return "af_packet"
}

func (s *site) testpmdSteps() []Step {
	house, poll := s.cfg.CPUs[0], s.cfg.CPUs[len(s.cfg.CPUs)-1]
	argv := []string{
		"dpdk-testpmd", "--no-huge", "-m", "256", "--no-pci", "--iova-mode=va", "--no-telemetry", "--file-prefix=" + s.prefix(),
		"--lcores", fmt.Sprintf("0@%d,1@%d", house, poll),
	}
	for i, port := range s.ports() {
		argv = append(argv, "--vdev", s.vdev(i, port))
	}
	argv = append(argv, "--", "-i", "--forward-mode=io", "--nb-cores=1", "--total-num-mbufs=16384", "--no-mlockall", "--auto-start")
	return append(s.xdpFree(), s.startTestpmd(argv))
}

// xdpFree has the programs of AF_XDP removed at the end, which outlive whoever attached them. There was none before: see checks.
func (s *site) xdpFree() (list []Step) {
	if s.driver() != "af_xdp" {
		return nil
	}
	for _, port := range s.ports() {
		list = append(list, Step{
			Says: "AF_XDP's program on " + port + ", removed at the end",
			Undo: sh(`
case $(ip -d link show dev "$1") in
*" name xsk_"* | *" name xdp_dispatcher"*) exec ip link set dev "$1" xdp off ;;
esac`, port),
			Port: port,
		})
	}
	return list
}

func (s *site) vdev(i int, port string) string {
	if s.driver() == "af_xdp" {
		return fmt.Sprintf("net_af_xdp%d,iface=%s", i, port)
	}
	return fmt.Sprintf("net_af_packet%d,iface=%s,framesz=2048,framecnt=8192,blocksz=65536,qdisc_bypass=1", i, port)
}

// startTestpmd starts it in the background. It ends with its standard input, so it is given a pipe of which it holds both ends,
// and takes commands from there. Its file prefix is what it is known by.
func (s *site) startTestpmd(argv []string) Step {
	return Step{
		Says: "DPDK's forwarder",
		Run: sh(`
cd "$1"
mkfifo in
shift
RUNTIME_DIRECTORY=$PWD setsid stdbuf --output=L "$@" <>in >testpmd.log 2>&1 &
echo $! >testpmd.pid`, append([]string{s.dir}, argv...)...),
		Undo: s.stop(testpmdPID),
	}
}

func (s *site) verifyTestpmd() []Step {
	return append([]Step{
		s.runs(testpmdPID, "DPDK's forwarder"),
		{
			Says: "it forwards", Run: []string{"cat", s.file("testpmd.log")}, Within: startPatience,
			Want: contains("packet forwarding - ports=2"), Else: "see its log in " + s.dir + "; apply again",
		},
	}, s.verifyTestpmdFilter()...)
}
