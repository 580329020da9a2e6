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
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/submode/fullsize"
	"dpukv/placement/submode/step"
	"dpukv/results"
)

// card is the emulated card with its test.
type card struct {
	*Card
	t      *testing.T
	binary string
}

func newCard(t *testing.T) *card { return newCardOf(t, "doca-2.9") }

func newCardOf(t *testing.T, release string) *card {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("found no root, whom the namespaces of a card need; to do: as root: make test-card")
	}
	kernel.NeedEthtool(t)
	c := &card{t: t, binary: programs.DPUKV(t)}
	c.Card = must.Get(Start(t.Context(), c.binary, release))(t)
	t.Cleanup(func() {
		if c.t.Failed() {
			log, _ := c.node().Run(context.Background(), []string{"tail", "-n", "40", state + "/vswitchd.log"})
			c.t.Log(log)
		}
		must.Do(t, c.Close())
	})
	if required := os.Getenv("SUBMODE_REQUIRE"); strings.Contains(required, "ovs-system") && c.Beside != "system" {
		t.Fatalf("SUBMODE_REQUIRE: found %s, and a kernel without Open vSwitch's datapath", required)
	}
	return c
}

func (c *card) node() step.Node { return c.Node("d") }

func (c *card) end(name string) fullsize.End {
	return fullsize.End{Node: c.Node(name), Address: c.Address(name)}
}

// run runs a command; it must succeed.
func (c *card) run(n step.Node, argv ...string) string {
	c.t.Helper()
	return must.Get(n.Run(context.WithoutCancel(c.t.Context()), argv))(c.t)
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
	argv := must.Get(c.Card.Argv("b", []string{
		c.binary, "serve", "mica", "--listen", c.Address("b") + ":0", "--server-threads", "1",
		"--items", "20000", "--memory", "8MiB", "--json",
	}))(c.t)
	server := exec.CommandContext(ctx, argv[0], argv[1:]...)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	server.WaitDelay = 5 * time.Second
	out := must.Get(server.StdoutPipe())(c.t)
	must.Do(c.t, server.Start())
	defer func() { cancel(); _ = server.Wait() }()
	line := must.Get(bufio.NewReader(out).ReadString('\n'))(c.t)
	var said struct{ Addr string }
	must.Do(c.t, json.Unmarshal([]byte(line), &said))
	text := c.run(c.Node("a"), c.binary, "load", "--server", said.Addr, "--duration", "1s",
		"--get-ratio", "0.5", "--json", "--keys", "20000", "--warmup", "50ms")
	var p results.Point
	must.Do(c.t, json.Unmarshal([]byte(text), &p))
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
