package submode

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

var netdev = Config{Submode: SM1, Target: Linux, Datapath: "ovs-netdev"}

// TestAfterAKill: what an orchestrator that was killed has left is taken back by the next apply, of whichever submode.
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
	if _, err := Undo(t.Context(), b.node("d"), Linux); err != nil {
		t.Error(err)
	}
	if after := b.snapshot(); after != before {
		t.Errorf("undo left traces:\n%s", difference(before, after))
	}
}

// TestSwitchKilled: evidence says so, undo leaves nothing, and the next apply works.
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
	b.run("d", sh(kill, l.dir)...)
	if _, err := l.Evidence(t.Context()); err == nil || !strings.Contains(err.Error(), "ovs-vswitchd has ended") {
		t.Errorf("found %v, want that ovs-vswitchd has ended", err)
	}
	if err := l.Verify(t.Context()); err == nil || !strings.Contains(err.Error(), "the switch runs") {
		t.Errorf("found %v, want that the switch does not run", err)
	}
	l = b.apply(t, netdev)
	if _, err := Prove(was, b.evidence(l)); err == nil || !strings.Contains(err.Error(), "restarted in between") {
		t.Errorf("found %v, want that it was restarted", err)
	}
	if err := l.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	if after := b.snapshot(); after != before {
		t.Errorf("undo left traces:\n%s", difference(before, after))
	}
}

// TestPortVanishes: there is no evidence without a port, and undo is content with what went with it.
func TestPortVanishes(t *testing.T) {
	for _, c := range []Config{netdev, {Submode: SM4, Target: Linux, Datapath: "tcx"}, {Submode: SM5, Target: Linux, Datapath: "tc-u32"}} {
		t.Run(c.Datapath, func(t *testing.T) {
			b := newTestbed(t)
			c.Binary = b.binary
			l := b.apply(t, c)
			b.run("d", "ip", "link", "del", "p0")
			if _, err := l.Evidence(t.Context()); err == nil || !strings.Contains(err.Error(), "no interface p0 any more") {
				t.Errorf("found %v, want that p0 is gone", err)
			}
			if err := l.Undo(t.Context()); err != nil {
				t.Error(err)
			}
			b.run("d", "test", "!", "-e", l.dir)
			if _, err := mustNew(t, c).Apply(t.Context(), b.node("d")); err == nil || !strings.Contains(err.Error(), "found no interface p0") {
				t.Errorf("found %v, want that there is no p0", err)
			}
		})
	}
}

// TestDeadOwner: a folder whose owner and namespace are gone is removed by the next apply anywhere.
func TestDeadOwner(t *testing.T) {
	first := newTestbed(t)
	l := applyFor(t, first, "4194305 1") // above the largest PID there is
	first.run("d", "test", "-e", l.dir)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	// The folder has the namespace's number, which goes to whoever makes a namespace next, a test beside this one or this
	// test. As long as that one is there, the folder stays.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		b := newTestbed(t)
		next := applyFor(t, b, Owner())
		_, err := b.node("d").Run(t.Context(), []string{"test", "!", "-e", l.dir})
		if err := errors.Join(next.Undo(t.Context()), b.Close()); err != nil {
			t.Fatal(err)
		}
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
	l, err := mustNew(t, Config{Submode: SM4, Target: Linux, Datapath: "tc-u32", Owner: owner}).Apply(t.Context(), b.node("d"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestOthersThings are refused, and left alone.
func TestOthersThings(t *testing.T) {
	if _, err := os.Stat(schema); err != nil {
		t.Skipf("needs Open vSwitch (make lab-packages): %v", err)
	}
	for name, c := range map[string]struct{ theirs, want string }{
		"bridge": {"ip link add name br0 type bridge && ip link set p0 master br0", "found p0 in br0"},
		"filter": {"tc qdisc add dev pf0hpf ingress && tc filter add dev pf0hpf parent ffff: protocol ip u32 match u32 1 1 action mirred egress redirect dev p0", "no filter of somebody else on pf0hpf"},
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
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "":
				if err := l.Undo(t.Context()); err != nil {
					t.Error(err)
				}
			case err == nil || !strings.Contains(err.Error(), c.want):
				t.Errorf("found %v, want an error with %q", err, c.want)
			}
			if after := b.snapshot(); after != before {
				t.Errorf("it left traces:\n%s", difference(before, after))
			}
		})
	}
}

func mustNew(t *testing.T, c Config) *Submode {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
