package submode

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"dpukv/internal/test/kernel"
)

// named is a network namespace as a person makes it, with the two ports of a DPU.
type named struct {
	t    *testing.T
	name string
}

var namedSoFar atomic.Int64

// makeNamed makes a namespace that has an inode; "": any. It is nil if the kernel gives that inode
// to none of many.
func makeNamed(t *testing.T, inode string) *named {
	t.Helper()
	for range 500 {
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

func (n *named) node() Node {
	return Via(n.name, func(argv []string) ([]string, error) {
		return append([]string{"nsenter", "--net=/run/netns/" + n.name}, argv...), nil
	})
}

func (n *named) run(script string) string {
	n.t.Helper()
	out, err := n.node().Run(n.t.Context(), []string{"sh", "-euc", script})
	if err != nil {
		n.t.Fatal(err)
	}
	return out
}

func shellOut(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
	return string(out)
}

// theirs is what a user sets on the ports, and shown what is seen of it.
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
	kernel.NeedEthtool(t)
	return Config{Submode: SM4, Target: Linux, Datapath: "tc-u32"}
}

// TestInodeAgain: the kernel gives a namespace's inode away again. What was applied in the one that
// is gone is not taken back in the next one, which a user has set up like it. The folder is told
// of.
func TestInodeAgain(t *testing.T) {
	c := needRootAndU32(t)
	first := makeNamed(t, "")
	l, err := mustNew(t, c).Apply(t.Context(), first.node())
	if err != nil {
		t.Fatal(err)
	}
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
	notes, err := Undo(t.Context(), next.node(), Linux)
	told := l.dir + " was left by an apply in another network namespace"
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], told) {
		t.Errorf("found %q, %v, want a note of %s", notes, err, l.dir)
	}
	if after := next.run(shown); after != before {
		t.Errorf("undo changed what is not its own:\n%s", difference(before, after))
	}
	// As where a PID leads elsewhere by now.
	other := &Lease{l.site, next.node(), &journal{next.node(), Linux, l.dir, &space{}}, nil}
	const refused = "found another network namespace than the one in which it was applied"
	if err := other.Undo(t.Context()); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("found %v, want that it is another namespace", err)
	}
	next.run(`tc qdisc del dev pf0hpf ingress`)
	again, err := mustNew(t, c).Apply(t.Context(), next.node())
	if err != nil || !strings.Contains(strings.Join(again.Notes(), "\n"), l.dir) {
		t.Fatalf("found %v, %v, want a note of %s", again, err, l.dir)
	}
	if err := again.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	if out := next.run(`ip link show`); strings.Contains(out, markPrefix) {
		t.Errorf("found marks after undo:\n%s", out)
	}
}

// takeFor has a folder look as if it were of a namespace that had another's inode.
func takeFor(l *Lease, n *named) {
	n.t.Helper()
	change := `s/"Space":"[0-9]*"/"Space":"` + n.inode() + `"/`
	shellOut(n.t, "sed", "-i", change, path.Join(l.dir, "about"))
}

// TestSweepOfDeadOwner: a folder of an owner that is dead, and of a namespace that is gone, goes,
// though there is a namespace with the inode.
func TestSweepOfDeadOwner(t *testing.T) {
	c := needRootAndU32(t)
	first, next := makeNamed(t, ""), makeNamed(t, "")
	c.Owner = "4194305 1" // above the largest PID there is
	l, err := mustNew(t, c).Apply(t.Context(), first.node())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Undo(t.Context()) })
	c.Owner = Owner()
	apply := func(want bool) {
		t.Helper()
		n, err := mustNew(t, c).Apply(t.Context(), next.node())
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Undo(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(l.dir); (err == nil) != want {
			t.Errorf("is %s there? found %v, want %v", l.dir, err, want)
		}
	}
	apply(true) // its namespace is there
	takeFor(l, next)
	apply(false)
}

// TestUndoLeavesOthersThings: what was changed since, or is another interface by now, is not taken
// back.
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
			l, err := mustNew(t, c).Apply(t.Context(), n.node())
			if err != nil {
				t.Fatal(err)
			}
			n.run(step.meanwhile)
			if err := l.Undo(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := n.node().Run(t.Context(), []string{"sh", "-c", step.want}); err != nil {
				t.Errorf("%v:\n%s", err, n.run(shown))
			}
			if out := n.run(`ip link show; ! test -e ` + l.dir); strings.Contains(out, markPrefix) {
				t.Errorf("found marks after undo:\n%s", out)
			}
		})
	}
}
