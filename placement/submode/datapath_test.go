package submode

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDatapaths has every datapath of plain Linux carry pings and the MICA load, with proof, miss a
// load that passes it by, and leave all as it found it.
func TestDatapaths(t *testing.T) {
	needsQuiet(t)
	b := newTestbed(t)
	b.secondCable()
	for _, name := range []string{SM1, SM2, SM3, SM4} {
		for _, d := range Datapaths(Linux, name) {
			t.Run(name+"/"+d, func(t *testing.T) { b.carries(t, Config{Submode: name, Target: Linux, Datapath: d, CPUs: []int{0, 1}}) })
		}
	}
}

// apply skips where the node has not what the datapath needs.
func (b *testbed) apply(t *testing.T, c Config) *Lease {
	t.Helper()
	b.t = t
	c.Binary, c.MaxSleep = b.binary, 100*time.Microsecond // to leave CPU to other tests
	l, err := mustNew(t, c).Apply(t.Context(), b.node("d"))
	if errors.Is(err, ErrMissing) && !slices.Contains(strings.Fields(os.Getenv("SUBMODE_REQUIRE")), c.Datapath) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Undo(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return l
}

func (b *testbed) evidence(l *Lease) *Evidence {
	b.t.Helper()
	e, err := l.Evidence(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return e
}

func (b *testbed) carries(t *testing.T, c Config) {
	b.t = t
	before := b.snapshot()
	l := b.apply(t, c)
	if b.snapshot() == before {
		t.Error("the snapshot sees nothing of what was set up")
	}
	// So that the flow is known. While client and server poll on the guest's one CPU, Open vSwitch is slow to put it in place.
	b.run("a", "ping", "-q", "-c", "3", "-i", "0.2", b.Address("b"))
	was := b.evidence(l)
	p := b.load()
	proof, err := b.proves(was, l, &p)
	if err != nil {
		t.Error(err)
	}
	t.Logf("%.2f Mops, p50 %d µs; %s; %s; %.4f of the packets carried, %d ms of CPU; %v", p.ThroughputOps/1e6, p.P50Ns/1000, proof.Is, proof.Substitute,
		proof.CarriedShare, proof.ForwarderCPUNs/1e6, proof.Packets)
	t.Logf("%+v", proof.Crossings)
	b.bypassed(t, l, b.load, bothWays, fromA, fromB)
	if err := l.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	if after := b.snapshot(); after != before {
		t.Errorf("undo left traces:\n%s", difference(before, after))
	}
}

func difference(before, after string) string {
	var lines []string
	for line := range strings.Lines(after) {
		if !strings.Contains(before, line) {
			lines = append(lines, "+"+line)
		}
	}
	for line := range strings.Lines(before) {
		if !strings.Contains(after, line) {
			lines = append(lines, "-"+line)
		}
	}
	return strings.Join(lines, "")
}
