//go:build card

package rehearsal

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/programs"
	"dpukv/placement/emulate"
	"dpukv/placement/submode/fullsize"
	"dpukv/placement/submode/step"
	"dpukv/results"
)

// card is the host b behind the emulated card d, and the host a.
type card struct {
	*emulate.Lab
	t      *testing.T
	binary string
	pid    string // of the process whose namespaces are the card's
	// beside is the type of ovsbr2's datapath and of its ports: system, or dummy where the kernel
	// lacks Open vSwitch's datapath.
	beside string
}

// realTestpmd is the machine's own program. It is hidden in PATH.
const realTestpmd = state + "/dpdk-testpmd"

// boot makes the card's files: none of them is the machine's own.
const boot = `
mount -t sysfs sysfs /sys
pages=/sys/kernel/mm/hugepages
test -d $pages || pages=/sys/kernel/mm # a kernel without huge pages lacks their folder
for dir in /run /var/lib /opt /etc/openvswitch $pages; do mount -t tmpfs tmpfs $dir; done
mkdir -p /run/card/bin /run/openvswitch /run/hugepages /opt/mellanox/dpdk/bin \
	/sys/kernel/mm/hugepages/hugepages-2048kB
cp /usr/bin/dpdk-testpmd /run/card/dpdk-testpmd
mount --bind /dev/null /usr/bin/dpdk-testpmd
echo 4096 >/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
pci=/sys/bus/pci/devices/0000:03:00.0 # a tree of links to what the kernel has, with a card in it
mkdir -p /run/card/net
for i in /sys/class/net/*; do ln -s "$(readlink -f "$i")" /run/card/net/; done
mount -t tmpfs tmpfs /sys/bus/pci/devices
mkdir -p $pci
echo 0x15b3 >$pci/vendor
echo 0xa2dc >$pci/device
echo 0x020000 >$pci/class
mount -t tmpfs tmpfs /sys/class/net
for i in /run/card/net/*; do
	name=${i##*/}
	mkdir /sys/class/net/$name
	for file in $(readlink "$i")/*; do ln -s "$file" /sys/class/net/$name/; done
	case $name in p0|pf0hpf)
		rm -f /sys/class/net/$name/phys_*
		ln -s $pci /sys/class/net/$name/device
		echo 3c0f >/sys/class/net/$name/phys_switch_id
		echo "${name%hpf}" >/sys/class/net/$name/phys_port_name ;;
	esac
done
if grep -qw hugetlbfs /proc/filesystems; then
	mount -t hugetlbfs -o pagesize=2M none /run/hugepages
fi
for name in mlxconfig mstconfig devlink systemctl ethtool ip tc ovs-vsctl ovs-appctl; do
	ln -s "$1" /run/card/bin/$name
done
rm /run/card/bin/mstconfig # which NVIDIA's images lack
ln -s "$1" /opt/mellanox/dpdk/bin/dpdk-testpmd
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
echo "ready $beside"
while :; do sleep 1; done # and take leave of processes that ended, as init does`

func newCard(t *testing.T) *card {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("found no root, whom the namespaces of a card need; to do: as root: make test-card")
	}
	kernel.NeedEthtool(t)
	program := programs.DPUKV(t)
	lab, err := emulate.Start(t.Context(), emulate.Spec{
		Machines: []emulate.Machine{
			{Name: "a", Kind: emulate.Host, Direct: true},
			{Name: "b", Kind: emulate.Host},
			{Name: "d", Kind: emulate.DPU, Of: "b", OnPath: true},
		},
		Keeper: []string{program, "lab"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &card{Lab: lab, t: t, binary: program}
	c.boot()
	return c
}

// boot starts the card: namespaces that end with their first process, and with them all programs.
func (c *card) boot() {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	argv, err := c.Argv("d", []string{
		"unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child",
		"--propagation", "private", "sh", "-euc", boot, "sh", self,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		if c.t.Failed() {
			log, _ := c.node().Run(context.Background(), []string{"tail", "-n", "40", state + "/vswitchd.log"})
			c.t.Log(log)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	beside, ready := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ready {
		c.t.Fatalf("the card does not start: %q, %v", line, err)
	}
	if required := os.Getenv("SUBMODE_REQUIRE"); strings.Contains(required, "ovs-system") && beside != "system" {
		c.t.Fatalf("SUBMODE_REQUIRE: found %s, and a kernel without Open vSwitch's datapath", required)
	}
	c.beside = beside
	child, err := exec.Command("pgrep", "--parent", strconv.Itoa(cmd.Process.Pid)).Output()
	if err != nil {
		c.t.Fatal(err)
	}
	c.pid = strings.TrimSpace(string(child))
}

// node is the card, as dpukv sees it by ssh.
func (c *card) node() step.Node {
	return step.Via("dpu", func(argv []string) ([]string, error) {
		return append([]string{
			"nsenter", "--target", c.pid, "--mount", "--net", "--pid", "env",
			"PATH=" + state + "/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		}, argv...), nil
	})
}

// host is a machine beside the card.
func (c *card) host(name string) step.Node {
	return step.Via(name, func(argv []string) ([]string, error) { return c.Argv(name, argv) })
}

func (c *card) end(name string) fullsize.End {
	return fullsize.End{Node: c.host(name), Address: c.Address(name)}
}

// run runs a command; it must succeed.
func (c *card) run(n step.Node, argv ...string) string {
	c.t.Helper()
	out, err := n.Run(context.WithoutCancel(c.t.Context()), argv)
	if err != nil {
		c.t.Fatal(err)
	}
	return out
}

// shell runs a script on the card.
func (c *card) shell(script string) string { return c.run(c.node(), "sh", "-euc", script) }

// snapshot returns what an undo must leave as it was.
func (c *card) snapshot() string {
	return c.shell(`/usr/bin/ovs-vsctl --timeout=10 --columns=other_config,external_ids list Open_vSwitch
/usr/bin/ovs-vsctl --timeout=10 list-br
cat /sys/class/net/p0/mtu /sys/class/net/pf0hpf/mtu
for p in p0 pf0hpf; do ethtool -k $p; done
for p in p0 pf0hpf; do /usr/sbin/tc filter show dev $p ingress; done
ls /var/lib /run/hugepages
pgrep -l testpmd || :`)
}

// load runs a MICA server on b and a client on a, and returns the point. On a guest's one CPU, its
// processes may wait for each other for tenths of a second.
func (c *card) load() results.Point {
	c.t.Helper()
	ctx, cancel := context.WithCancel(c.t.Context())
	argv, err := c.Argv("b", []string{
		c.binary, "serve", "mica", "--listen", c.Address("b") + ":0", "--server-threads", "1",
		"--items", "20000", "--memory", "8MiB", "--json",
	})
	if err != nil {
		c.t.Fatal(err)
	}
	server := exec.CommandContext(ctx, argv[0], argv[1:]...)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 5 * time.Second
	out, err := server.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		c.t.Fatal(err)
	}
	defer func() { cancel(); _ = server.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var said struct{ Addr string }
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		c.t.Fatal(err)
	}
	text := c.run(c.host("a"), c.binary, "load", "--server", said.Addr, "--duration", "1s",
		"--get-ratio", "0.5", "--json", "--keys", "20000", "--warmup", "50ms")
	var p results.Point
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		c.t.Fatal(err)
	}
	if p.Status != results.StatusOK || p.Errors > 0 || p.Ops == 0 {
		c.t.Errorf("the load: status %s %s, %d operations, %d errors", p.Status, p.Error, p.Ops, p.Errors)
	}
	return p
}

// fault switches faults on until the end of the test.
func (c *card) fault(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		file := filepath.Join(state, "fault-"+name)
		c.run(c.node(), "touch", file)
		t.Cleanup(func() { c.run(c.node(), "rm", "-f", file) })
	}
}

// has reports whether an error has all of the words; none: there is no error.
func has(err error, words []string) bool {
	if err == nil || len(words) == 0 {
		return err == nil && len(words) == 0
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(err.Error(), w) })
}
