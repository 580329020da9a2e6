package rehearsal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"dpukv/internal/foreign"
	"dpukv/placement/emulate"
	"dpukv/placement/submode/step"
)

// Card is the host b behind the emulated card d, and the host a with a plain NIC.
type Card struct {
	*emulate.Lab
	// Beside is the type of ovsbr2's datapath and of its ports: system, or dummy where the kernel
	// lacks Open vSwitch's datapath.
	Beside string

	pids    map[string]string // of the processes whose namespaces are the machines'
	stopped []func()
}

// realTestpmd is the machine's own program. It is hidden in PATH.
const realTestpmd = state + "/dpdk-testpmd"

// tree makes a /sys of links to what the kernel has, with a BlueField at $2 behind the interfaces
// $3.
const tree = `
mount -t sysfs sysfs /sys
for dir in /run /var/lib /opt; do mount -t tmpfs tmpfs $dir; done
pci=/sys/bus/pci/devices/$2
mkdir -p /run/card/net /run/card/bin /run/home
for i in /sys/class/net/*; do ln -s "$(readlink -f "$i")" /run/card/net/; done
for dir in bus/pci/devices class/net class/infiniband; do
	test ! -d /sys/$dir || mount -t tmpfs tmpfs /sys/$dir
done
if test "$2" != none; then
	mkdir -p $pci
	echo 0x15b3 >$pci/vendor
	echo 0xa2dc >$pci/device
	echo 0x020000 >$pci/class
fi
for i in /run/card/net/*; do
	name=${i##*/}
	mkdir /sys/class/net/$name
	for file in $(readlink "$i")/*; do ln -s "$file" /sys/class/net/$name/; done
	case " $3 " in *" $name "*)
		rm -f /sys/class/net/$name/phys_*
		ln -s $pci /sys/class/net/$name/device
		echo 3c0f >/sys/class/net/$name/phys_switch_id
		echo "${name%hpf}" >/sys/class/net/$name/phys_port_name ;;
	esac
done
`

const stay = `
while :; do sleep 1; done # and take leave of processes that ended, as init does`

// bootHost makes a host's files.
const bootHost = tree + `
echo "ready host"` + stay

// bootCard makes the card's files: none of them is the machine's own. $1 is dpukv.
const bootCard = tree + `
pages=/sys/kernel/mm/hugepages
test -d $pages || pages=/sys/kernel/mm # a kernel without huge pages lacks their folder
for dir in /etc/openvswitch $pages; do mount -t tmpfs tmpfs $dir; done
mkdir -p /run/openvswitch /run/hugepages /opt/mellanox/dpdk/bin \
	/sys/kernel/mm/hugepages/hugepages-2048kB
cp /usr/bin/dpdk-testpmd /run/card/dpdk-testpmd
mount --bind /dev/null /usr/bin/dpdk-testpmd
echo "$4" >/run/card/release
for file in nr free; do
	echo "${5:-4096}" >/sys/kernel/mm/hugepages/hugepages-2048kB/${file}_hugepages
done
if test -z "$5" && grep -qw hugetlbfs /proc/filesystems; then
	mount -t hugetlbfs -o pagesize=2M none /run/hugepages
fi
tool() {
	printf '#!/bin/sh\nexec %s %s "$@"\n' "'$dpukv' ` + Subcommand + `" "$1" >"$2/$1"
	chmod 755 "$2/$1"
}
dpukv=$1
for name in mlxconfig devlink systemctl ethtool ip tc ovs-vsctl ovs-appctl; do
	tool $name /run/card/bin
done
tool dpdk-testpmd /opt/mellanox/dpdk/bin
ovsdb-tool create /etc/openvswitch/conf.db /usr/share/openvswitch/vswitch.ovsschema
ovsdb-server --detach --no-chdir --pidfile --remote=punix:/run/openvswitch/db.sock \
	-vconsole:off --log-file=/run/card/ovsdb.log /etc/openvswitch/conf.db
/usr/bin/ovs-vsctl --no-wait init -- set Open_vSwitch . other_config:pmd-maxsleep=100 \
	ovs_version="$(ovs-vswitchd --version | sed -n 's/.*Open vSwitch) //p')"
PATH=/run/card/bin:$PATH
beside=dummy
modprobe -q openvswitch 2>/dev/null || :
if ovs-dpctl dump-dps >/dev/null 2>&1; then
	beside=system
	touch /run/card/kernel-datapath
fi
systemctl restart openvswitch-switch
ovs-vsctl --timeout=30 add-br ovsbr2 -- set bridge ovsbr2 datapath_type=$beside
echo "ready $beside"` + stay

// Ready refuses an unknown release, and a machine without what the rehearsal needs.
func Ready(release string) error {
	if _, ok := releases[release]; !ok {
		return fmt.Errorf("release: found %q, allowed: %s", release,
			strings.Join(Releases(), ", "))
	}
	if os.Geteuid() != 0 {
		return errors.New("found no root, whom the namespaces of a card need; to do: sudo")
	}
	for _, name := range []string{
		"ovs-vswitchd", "ovsdb-tool", "dpdk-testpmd", "nsenter", "ethtool", "tc",
	} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("found no %s, which the rehearsal runs; to do: apt-get install "+
				"openvswitch-switch-dpdk dpdk ethtool iproute2 util-linux", name)
		}
	}
	return nil
}

// Start starts the machines. program is dpukv, which also plays the card's tools.
func Start(ctx context.Context, program, release string) (*Card, error) {
	if err := Ready(release); err != nil {
		return nil, err
	}
	lab, err := emulate.Start(ctx, emulate.Spec{
		Machines: []emulate.Machine{
			{Name: "a", Kind: emulate.Host, Direct: true},
			{Name: "b", Kind: emulate.Host},
			{Name: "d", Kind: emulate.DPU, Of: "b", OnPath: true},
		},
		Keeper: []string{program, "lab"},
	})
	if err != nil {
		return nil, err
	}
	c := &Card{Lab: lab, pids: map[string]string{}}
	for _, m := range []struct {
		name, script string
		args         []string
	}{
		{"a", bootHost, []string{"none", ""}},
		{"b", bootHost, []string{"0000:81:00.0", emulate.Uplink}},
		{"d", bootCard, []string{PCI, "p0 pf0hpf", release, releases[release].pages()}},
	} {
		beside, err := c.boot(m.name, m.script, append([]string{program}, m.args...))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start machine %s: %w", m.name, err), c.Close())
		}
		c.Beside = beside
	}
	return c, nil
}

// PCI is the card's address on the card.
const PCI = "0000:03:00.0"

// boot starts a machine: namespaces that end with their first process, and with them all programs.
func (c *Card) boot(name, script string, args []string) (says string, err error) {
	argv, err := c.Lab.Argv(name, append([]string{
		"unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child",
		"--propagation", "private", "sh", "-euc", script, "sh",
	}, args...))
	if err != nil {
		return "", err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	var stderr foreign.Tail
	cmd.Stderr = &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stop := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	line, err := foreign.ReadLine(bufio.NewReader(out), "its first line", foreign.MaxReason)
	says, ready := strings.CutPrefix(strings.TrimSpace(string(line)), "ready ")
	if !ready {
		stop()
		return "", fmt.Errorf("found %q, %v: %s", line, err, stderr.String())
	}
	c.stopped = append(c.stopped, stop)
	child, err := foreign.Run(exec.Command("pgrep", "--parent", strconv.Itoa(cmd.Process.Pid)))
	c.pids[name] = strings.TrimSpace(string(child))
	return says, err
}

// Close ends the machines.
func (c *Card) Close() error {
	for _, stop := range slices.Backward(c.stopped) {
		stop()
	}
	return c.Lab.Close()
}

// Argv returns the command that runs another one on a machine.
func (c *Card) Argv(name string, argv []string) ([]string, error) {
	pid := c.pids[name]
	if pid == "" {
		return nil, fmt.Errorf("found machine %q, allowed: a, b, d", name)
	}
	inside := append([]string{
		"nsenter", "--target", pid, "--mount", "--net", "--pid", "env", "HOME=/run/home",
		"PATH=" + state + "/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	}, argv...)
	if name == "d" {
		return inside, nil
	}
	return c.Lab.Argv(name, inside) // with the CPU time of the host
}

// Node is a machine, as dpukv sees it by ssh.
func (c *Card) Node(name string) step.Node {
	return step.Via(name, func(argv []string) ([]string, error) { return c.Argv(name, argv) })
}

// bed is the testbed of the rehearsal: a host with a plain NIC, and one with a card.
const bed = `nodes:
  hostA: {via: ssh, host: a, address: %s}
  hostB: {via: ssh, host: b, address: %s}
  dpuB:
    {kind: dpu, of: hostB, generation: bf3, via: ssh, host: d, user: root, address: 192.0.2.1,
     modes: {dpu: {address: %s}}}
client_side: hostA
server_side: [hostB, dpuB]
`

// Testbed sets the card up as an image does, and returns a testbed whose machines SSH reaches.
func (c *Card) Testbed(ctx context.Context) (text string, err error) {
	host, err := netip.ParseAddr(c.Address("b"))
	if err != nil {
		return "", err
	}
	b := host.As4()
	b[3] ^= 0x40 // another address of the subnet
	arm := netip.AddrFrom4(b).String()
	_, err = c.Node("d").Run(ctx, []string{"sh", "-euc", image, "sh", arm + "/16"})
	return fmt.Sprintf(bed, c.Address("a"), host, arm), err
}

// image puts the ports into a bridge, with a function of the Arm's own, as DOCA's images do.
const image = `
ip link add en3f0pf0sf0 type veth peer name enp3s0f0s0
for i in en3f0pf0sf0 enp3s0f0s0; do ip link set dev $i up; done
mkdir -p /sys/bus/pci/devices/` + PCI + `/mlx5_core.sf.2 /sys/class/net/enp3s0f0s0
ln -s /sys/bus/pci/devices/` + PCI + `/mlx5_core.sf.2 /sys/class/net/enp3s0f0s0/device
ip address add "$1" dev enp3s0f0s0
ethtool -K enp3s0f0s0 tx off >/dev/null
ovs-vsctl --timeout=30 add-br ovsbr1 -- set bridge ovsbr1 datapath_type=system \
	-- add-port ovsbr1 p0 -- add-port ovsbr1 pf0hpf -- add-port ovsbr1 en3f0pf0sf0`

// SSH makes an ssh in a folder whose hosts are the machines.
func (c *Card) SSH(dir string) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\ntest \"$1\" != -G || exit 255\n" +
		"while test \"$1\" != --; do shift; done\ncase $2 in\n")
	for _, name := range []string{"a", "b", "d"} {
		argv, err := c.Argv(name, []string{"sh", "-c"})
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s) exec %s \"$3\" ;;\n", name, step.Quote(argv))
	}
	b.WriteString("esac\necho \"found no machine $2\" >&2\nexit 255\n")
	return os.WriteFile(filepath.Join(dir, "ssh"), []byte(b.String()), 0o755)
}
