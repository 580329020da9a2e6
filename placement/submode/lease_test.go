package submode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/submode/journal"
	"dpukv/placement/submode/ovs"
	"dpukv/placement/submode/step"
)

var netdev = Config{Submode: SM1, Target: Linux, Datapath: "ovs-netdev"}

// TestAfterAKill: the next apply, of any submode, undoes the leftovers of a killed orchestrator.
func TestAfterAKill(t *testing.T) {
	b := newTestbed(t)
	before := b.snapshot()
	b.apply(t, netdev)
	l := b.apply(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx"})
	was := b.evidence(l)
	b.load()
	if _, err := Prove(was, b.evidence(l)); err != nil {
		t.Error(err)
	}
	_, err := Undo(t.Context(), b.node("d"), Linux)
	b.undone(t, err, before)
}

// TestSwitchKilled: evidence fails, undo leaves nothing, and the next apply works.
func TestSwitchKilled(t *testing.T) {
	b := newTestbed(t)
	before := b.snapshot()
	l := b.apply(t, netdev)
	was := b.evidence(l)
	const kill = `pid=$(cat "$1/ovs-vswitchd.pid"); kill -9 "$pid"
for i in $(seq 300); do
	if ! test -e "/proc/$pid" || grep -q "^State:.Z" "/proc/$pid/status"; then exit; fi
	sleep 0.1
done
exit 1`
	b.run("d", step.Shell(kill, l.dir)...)
	if _, err := l.Evidence(t.Context()); !failsWith(err, "ovs-vswitchd has ended") {
		t.Errorf("found %v, want that ovs-vswitchd has ended", err)
	}
	if err := l.Verify(t.Context()); !failsWith(err, "the switch runs") {
		t.Errorf("found %v, want that the switch does not run", err)
	}
	l = b.apply(t, netdev)
	if _, err := Prove(was, b.evidence(l)); !failsWith(err, "restarted in between") {
		t.Errorf("found %v, want that it was restarted", err)
	}
	b.undone(t, l.Undo(t.Context()), before)
}

// TestPortVanishes: without a port there is no evidence. Undo succeeds although the port took its
// settings along.
func TestPortVanishes(t *testing.T) {
	for _, c := range []Config{
		netdev,
		{Submode: SM4, Target: Linux, Datapath: "tcx"},
		{Submode: SM5, Target: Linux, Datapath: "tc-u32"},
	} {
		t.Run(c.Datapath, func(t *testing.T) {
			b := newTestbed(t)
			c.Binary = b.binary
			l := b.apply(t, c)
			b.run("d", "ip", "link", "del", "p0")
			if _, err := l.Evidence(t.Context()); !failsWith(err, "no interface p0 any more") {
				t.Errorf("found %v, want that p0 is gone", err)
			}
			must.Do(t, l.Undo(t.Context()))
			b.run("d", "test", "!", "-e", l.dir)
			_, err := mustNew(t, c).Apply(t.Context(), b.node("d"))
			if !failsWith(err, "found no interface p0") {
				t.Errorf("found %v, want that there is no p0", err)
			}
		})
	}
}

// TestDeadOwner: the next apply anywhere removes a folder whose owner and namespace are gone.
func TestDeadOwner(t *testing.T) {
	first := newTestbed(t)
	l := applyFor(t, first, "4194305 1") // above the largest PID there is
	first.run("d", "test", "-e", l.dir)
	must.Do(t, first.Close())
	// The folder has the namespace's inode. The next namespace gets that inode, in this test or in
	// one beside it. The folder stays as long as that namespace exists.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		b := newTestbed(t)
		next := applyFor(t, b, Owner())
		_, err := b.node("d").Run(t.Context(), []string{"test", "!", "-e", l.dir})
		must.Do(t, errors.Join(next.Undo(t.Context()), b.Close()))
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the folder is still there: %v", err)
		}
	}
}

// applyFor applies in an owner's name.
func applyFor(t *testing.T, b *testbed, owner string) *Lease {
	t.Helper()
	c := Config{Submode: SM4, Target: Linux, Datapath: "tc-u32", Owner: owner}
	return must.Get(mustNew(t, c).Apply(t.Context(), b.node("d")))(t)
}

// TestBroken: the error names the node, the datapath, and the missing part.
func TestBroken(t *testing.T) {
	for counted, want := range map[string]string{
		`{"p0":{"programs":1},"pf0hpf":{"programs":1}}`: "",
		`{"p0":{"programs":1},"pf0hpf":{"programs":0}}`: "node d: the datapath tcx of sm4 is broken: " +
			"this was so and is not any more: one redirect on pf0hpf " +
			"(found 0 programs of ours, allowed: 1)\nTo do: see what ended it on node d",
	} {
		node := step.Node{Name: "d", Run: func(_ context.Context, argv []string) (string, error) {
			switch argv[0] {
			case "dpukv":
				return counted, nil
			case "ip":
				return `[{"ifname":"p0","flags":["UP","LOWER_UP"]},` +
					`{"ifname":"pf0hpf","flags":["UP","LOWER_UP"]}]`, nil
			}
			return "", nil
		}}
		s := mustNew(t, Config{Submode: SM4, Target: Linux, Datapath: "tcx"})
		l := &Lease{setup: s.setup(tcx, "/x"), node: node, journal: journal.OfCard(node)}
		if err := l.Broken(t.Context()); !failsWith(err, want) {
			t.Errorf("found %v, want %q", err, want)
		}
	}
}

// TestOthersThings: the objects of others are refused, and left alone.
func TestOthersThings(t *testing.T) {
	if _, err := os.Stat(ovs.Schema); err != nil {
		t.Skipf("needs Open vSwitch (make lab-packages): %v", err)
	}
	for name, c := range map[string]struct{ theirs, want string }{
		"bridge": {"ip link add name br0 type bridge && ip link set p0 master br0", "found p0 in br0"},
		"filter": {
			"tc qdisc add dev pf0hpf ingress && tc filter add dev pf0hpf parent ffff: protocol ip " +
				"u32 match u32 1 1 action mirred egress redirect dev p0",
			"no filter of somebody else on pf0hpf",
		},
		"MTU":    {"ip link set dev p0 mtu 1400", "found an MTU of 1400 on p0 and 1500 on pf0hpf"},
		"switch": {"ip link add name ovs-netdev type veth peer name other", "another Open vSwitch forwards"},
		"state":  {"ip link set dev p0 down && ip link set dev p0 promisc on", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t)
			b.run("d", "sh", "-euc", c.theirs)
			before := b.snapshot()
			s := mustNew(t, netdev)
			l, err := s.Apply(t.Context(), b.node("d"))
			if !failsWith(err, c.want) {
				t.Errorf("found %v, want an error with %q", err, c.want)
			}
			var undo error
			if err == nil {
				undo = l.Undo(t.Context())
			}
			b.undone(t, undo, before)
		})
	}
}

// named is a network namespace as a user makes it, with the two ports of a DPU.
type named struct {
	t    *testing.T
	name string
}

var namedSoFar atomic.Int64

// makeNamed makes a namespace with an inode; "": any. It returns nil if none of some namespaces
// gets that inode.
func makeNamed(t *testing.T, inode string) *named {
	t.Helper()
	for range 20 { // each takes three processes
		n := &named{t, fmt.Sprintf("dpukv-test-%d-%d", os.Getpid(), namedSoFar.Add(1))}
		shellOut(t, "ip", "netns", "add", n.name)
		if inode == "" || n.inode() == inode {
			t.Cleanup(n.remove)
			n.run(`ip link add name p0 type veth peer name far0
ip link add name pf0hpf type veth peer name far1`)
			return n
		}
		n.remove()
	}
	return nil
}

func (n *named) inode() string {
	return strings.TrimSpace(shellOut(n.t, "stat", "-Lc", "%i", "/run/netns/"+n.name))
}

func (n *named) remove() { _ = exec.Command("ip", "netns", "del", n.name).Run() } // or it is gone

func (n *named) node() step.Node {
	return step.Via(n.name, func(argv []string) ([]string, error) {
		return append([]string{"nsenter", "--net=/run/netns/" + n.name}, argv...), nil
	})
}

func (n *named) run(script string) string {
	n.t.Helper()
	return must.Get(n.node().Run(n.t.Context(), []string{"sh", "-euc", script}))(n.t)
}

func shellOut(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
	return string(out)
}

// theirs sets a user's configuration of the ports, and shown prints it.
const (
	theirs = `ip link set dev p0 up; ip link set dev p0 promisc on; tc qdisc add dev pf0hpf ingress
tc filter add dev pf0hpf ingress pref 7 ` + match
	shown = `ip link show dev p0; ip link show dev pf0hpf; tc qdisc show
tc filter show dev p0 ingress; tc filter show dev pf0hpf ingress`
	match = `protocol ip u32 match ip dst 192.0.2.1/32 action mirred egress redirect dev lo`
)

func needRootAndU32(t *testing.T) Config {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces with a datapath need root")
	}
	programs.Need(t, "ip", "tc")
	kernel.NeedEthtool(t)
	return Config{Submode: SM4, Target: Linux, Datapath: "tc-u32"}
}

// TestInodeAgain: the kernel reuses a namespace's inode. The steps of the old namespace are not
// undone in the new one, which a user has set up alike. A warning names the folder.
func TestInodeAgain(t *testing.T) {
	c := needRootAndU32(t)
	first := makeNamed(t, "")
	now := first
	node := step.Node{Name: "d", Run: func(ctx context.Context, argv []string) (string, error) {
		return now.node().Run(ctx, argv)
	}}
	l := must.Get(mustNew(t, c).Apply(t.Context(), node))(t)
	t.Cleanup(func() { _ = os.RemoveAll(l.dir) })
	inode := first.inode()
	first.remove() // as a machine that goes with what was applied
	next := makeNamed(t, inode)
	if next == nil {
		t.Logf("the inode %s was not given away again: the folder is made to look so", inode)
		next = makeNamed(t, "")
		takeFor(l, next)
	}
	next.run(theirs)
	before := next.run(shown)
	warnings, err := Undo(t.Context(), next.node(), Linux)
	told := l.dir + " was left by an apply in another network namespace"
	// A test that was killed may have left a folder with the same inode: it is told of, too.
	if err != nil || strings.Count(strings.Join(warnings, "\n"), told) != 1 {
		t.Errorf("found %q, %v, want a warning of %s", warnings, err, l.dir)
	}
	if after := next.run(shown); after != before {
		t.Errorf("undo changed what is not its own:\n%s", difference(before, after))
	}
	now = next // as where a PID leads elsewhere by now
	const refused = "found another network namespace than the one in which it was applied"
	if err := l.Undo(t.Context()); !failsWith(err, refused) {
		t.Errorf("found %v, want that it is another namespace", err)
	}
	next.run(`tc qdisc del dev pf0hpf ingress`)
	again, err := mustNew(t, c).Apply(t.Context(), next.node())
	if err != nil || !strings.Contains(strings.Join(again.Warnings(), "\n"), l.dir) {
		t.Fatalf("found %v, %v, want a warning of %s", again, err, l.dir)
	}
	must.Do(t, again.Undo(t.Context()))
	if out := next.run(`ip link show`); strings.Contains(out, "dpukv-") {
		t.Errorf("found marks after undo:\n%s", out)
	}
}

// takeFor makes a folder look like that of a namespace with another one's inode.
func takeFor(l *Lease, n *named) {
	n.t.Helper()
	change := `s/"Space":"[0-9]*"/"Space":"` + n.inode() + `"/`
	shellOut(n.t, "sed", "-i", change, path.Join(l.dir, "about"))
}

// TestOwnerDeadAndInodeAgain: a folder of a dead owner and of a gone namespace is removed, although
// a new namespace has the inode.
func TestOwnerDeadAndInodeAgain(t *testing.T) {
	c := needRootAndU32(t)
	first, next := makeNamed(t, ""), makeNamed(t, "")
	c.Owner = "4194305 1" // above the largest PID there is
	l := must.Get(mustNew(t, c).Apply(t.Context(), first.node()))(t)
	t.Cleanup(func() { _ = l.Undo(t.Context()) })
	c.Owner = Owner()
	apply := func(want bool) {
		t.Helper()
		n := must.Get(mustNew(t, c).Apply(t.Context(), next.node()))(t)
		must.Do(t, n.Undo(t.Context()))
		if _, err := os.Stat(l.dir); (err == nil) != want {
			t.Errorf("is %s there? found %v, want %v", l.dir, err, want)
		}
	}
	apply(true) // its namespace is there
	takeFor(l, next)
	apply(false)
}

// TestUndoLeavesOthersThings: a setting that was changed since is not undone, nor is one on another
// interface of the same name.
func TestUndoLeavesOthersThings(t *testing.T) {
	c := needRootAndU32(t)
	for name, step := range map[string]struct{ before, meanwhile, want string }{
		"a filter beside ours": {
			"", `tc filter add dev p0 ingress pref 7 ` + match,
			`now=$(tc filter show dev p0 ingress)
case $now in *"Redirect to device pf0hpf"*) false ;; *"pref 7 u32"*) ;; *) false ;; esac`,
		},
		"another filter in place of ours": {
			"", `tc filter del dev p0 ingress pref 55767
tc filter add dev p0 ingress pref 55767 ` + match,
			`tc filter show dev p0 ingress | grep -q 'pref 55767 u32'`,
		},
		"a place for filters that was there": {
			`tc qdisc add dev p0 clsact`, "",
			`tc qdisc show dev p0 | grep -q clsact && test -z "$(tc filter show dev p0 ingress)"`,
		},
		"promiscuous mode, on before and off since": {
			`ip link set dev p0 promisc on`, `ip link set dev p0 promisc off`,
			`! ip link show dev p0 | grep -q PROMISC`,
		},
		"another interface of the same name": {
			"", `ip link del p0; ip link add name p0 type veth peer name far2
ip link set dev p0 promisc on; tc qdisc add dev p0 ingress
tc filter add dev p0 ingress pref 55767 protocol all u32 match u32 0 0 \
	action mirred egress redirect dev pf0hpf`,
			`ip link show dev p0 | grep -q PROMISC || exit 1
tc filter show dev p0 ingress | grep -q 'Egress Redirect'`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := makeNamed(t, "")
			n.run(step.before)
			l := must.Get(mustNew(t, c).Apply(t.Context(), n.node()))(t)
			n.run(step.meanwhile)
			must.Do(t, l.Undo(t.Context()))
			if _, err := n.node().Run(t.Context(), []string{"sh", "-c", step.want}); err != nil {
				t.Errorf("%v:\n%s", err, n.run(shown))
			}
			if out := n.run(`ip link show; ! test -e ` + l.dir); strings.Contains(out, "dpukv-") {
				t.Errorf("found marks after undo:\n%s", out)
			}
		})
	}
}
