package submode

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/emulate"
	"dpukv/placement/submode/step"
	"dpukv/results"
)

// failsWith reports whether an error is the expected one, by a part of its text; "": no error.
func failsWith(err error, want string) bool {
	if want == "" {
		return err == nil
	}
	return err != nil && strings.Contains(err.Error(), want)
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		programs.Remove()
		os.Exit(code)
	}))
}

// testbed is a lab with the host b behind the DPU d, on-path.
type testbed struct {
	*emulate.Lab
	t      *testing.T
	binary string
}

func newTestbed(t *testing.T) *testbed {
	t.Helper()
	return newTestbedWith(t, "")
}

// newTestbedWith sets the offloads of the interfaces. It skips a test that would disturb those of
// other packages: datapaths poll on CPUs, and so do loads.
func newTestbedWith(t *testing.T, offloads string) *testbed {
	t.Helper()
	if os.Getenv("SUBMODE_REQUIRE") == "" {
		t.Skip("it makes machines and puts load on them: make test-lab runs it")
	}
	if os.Geteuid() != 0 {
		t.Skip("network namespaces with a datapath need root")
	}
	kernel.NeedEthtool(t)
	path := programs.DPUKV(t)
	lab := must.Keep(emulate.Start(t.Context(), emulate.Spec{
		Machines: []emulate.Machine{
			{Name: "a", Kind: emulate.Host, Direct: true},
			{Name: "b", Kind: emulate.Host},
			{Name: "d", Kind: emulate.DPU, Of: "b", OnPath: true},
		},
		Keeper: []string{path, "lab"}, Offloads: offloads,
	}))(t)
	return &testbed{lab, t, path}
}

func (b *testbed) node(machine string) step.Node {
	return step.Via(machine, func(argv []string) ([]string, error) { return b.Argv(machine, argv) })
}

// run runs a command on a machine; it must succeed.
func (b *testbed) run(machine string, argv ...string) string {
	b.t.Helper()
	return must.Get(b.node(machine).Run(context.WithoutCancel(b.t.Context()), argv))(b.t)
}

// load runs a MICA server on b and a client on a, and returns the point.
func (b *testbed) load() results.Point {
	b.t.Helper()
	return b.loadWith([]string{"mica"}, "--keys", "20000", "--warmup", "100ms")
}

// loadHERD runs a HERD server on b and a client on a, with software RoCE packets between them and
// no warm-up.
func (b *testbed) loadHERD(keys int) results.Point {
	b.t.Helper()
	return b.loadWith([]string{"herd", "--device", "softroce:" + b.Address("b")},
		"--store", "herd", "--device", "softroce:"+b.Address("a"), "--keys", strconv.Itoa(keys),
		"--warmup", "0s")
}

func (b *testbed) loadWith(store []string, options ...string) results.Point {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	argv := must.Get(b.Argv("b", slices.Concat([]string{b.binary, "serve"}, store,
		[]string{
			"--listen", b.Address("b") + ":0", "--server-threads", "1", "--items", "20000",
			"--memory", "8MiB", "--json",
		})))(b.t)
	server := exec.CommandContext(ctx, argv[0], argv[1:]...)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 5 * time.Second
	out := must.Get(server.StdoutPipe())(b.t)
	must.Do(b.t, server.Start())
	defer func() { cancel(); _ = server.Wait() }()
	line := must.Get(bufio.NewReader(out).ReadString('\n'))(b.t)
	var said struct{ Addr string }
	must.Do(b.t, json.Unmarshal([]byte(line), &said))
	text := b.run("a", append([]string{
		b.binary, "load", "--server", said.Addr, "--duration", "500ms", "--get-ratio", "0.5", "--json",
	}, options...)...)
	var p results.Point
	must.Do(b.t, json.Unmarshal([]byte(text), &p))
	if p.Status != results.StatusOK || p.Errors > 0 || p.Ops == 0 {
		b.t.Errorf("the load through the datapath: status %s %s, %d operations, %d errors",
			p.Status, p.Error, p.Ops, p.Errors)
	}
	return p
}

// undone expects an undo to succeed, and to leave the state of a snapshot.
func (b *testbed) undone(t *testing.T, err error, before string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	if after := b.snapshot(); after != before {
		t.Errorf("undo left traces:\n%s", difference(before, after))
	}
}

// snapshot returns the state that a submode must leave unchanged.
func (b *testbed) snapshot() string {
	b.t.Helper()
	var s strings.Builder
	for _, argv := range [][]string{
		{"sh", "-c", `ip -d link show | grep -v ' alias ' |
sed 's/ qlen [0-9]*//; s/NO-CARRIER,//; s/ state [A-Z]* / /'`},
		{"tc", "qdisc", "show"},
		{"sh", "-c", `for p in p0 pf0hpf; do tc filter show dev $p ingress; done`},
		{"sh", "-c", `command -v nft >/dev/null && nft list ruleset || :`},
		// Another lab on this machine may change the value at this moment.
		{"sh", "-c", `exec 9</run; flock 9
nsenter --target 1 --net sysctl net.core.rmem_default || sysctl net.core.rmem_default`},
		{"sh", "-c", `here=$(readlink /proc/self/ns/net | tr -dc 0-9)
grep -l "\"Space\":\"$here\"" /run/dpukv/submode/net-*/about 2>/dev/null || :`},
		{"sh", "-c", `ls -R /run/openvswitch /etc/openvswitch /var/lib/openvswitch 2>/dev/null || :`},
		{"sh", "-c", `here=$(readlink /proc/self/ns/net)
for p in /proc/[0-9]*; do
	test "$(readlink $p/ns/net)" != "$here" || cat $p/comm 2>/dev/null
done | grep -E '^(ovs|testpmd|dpdk)' || :`},
	} {
		fmt.Fprintf(&s, "$ %s\n%s", strings.Join(argv, " "), b.run("d", argv...))
	}
	return s.String()
}
