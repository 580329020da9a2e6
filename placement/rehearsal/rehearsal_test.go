//go:build card

package rehearsal

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/submode"
	"dpukv/results"
)

func config(name, datapath string) submode.Config {
	return submode.Config{
		Submode: name, Target: submode.BlueField, Datapath: datapath, CPUs: []int{0, 1},
	}
}

func mustNew(t *testing.T, name, datapath string) *submode.Submode {
	t.Helper()
	return must.Get(submode.New(config(name, datapath)))(t)
}

// TestSubmodes plans, applies, loads, proves and undoes each datapath of a card.
func TestSubmodes(t *testing.T) {
	c := newCard(t)
	for _, name := range []string{
		submode.SM1, submode.SM2, submode.SM3, submode.SM4, submode.SM5,
	} {
		for _, d := range submode.Datapaths(submode.BlueField, name) {
			t.Run(name+"/"+d, func(t *testing.T) { c.rehearse(t, name, d) })
		}
	}
}

func (c *card) rehearse(t *testing.T, name, datapath string) {
	c.t = t
	before := c.snapshot()
	l := c.apply(t, name, datapath)
	proof := must.Get(c.prove(t, l))(t)
	t.Logf("%s; %.3f of the packets carried; %v", proof.Is, proof.CarriedShare, proof.Packets)
	if name == submode.SM3 && !strings.Contains(proof.Is, "dpdk-testpmd, DPDK 22.11") {
		t.Errorf("found no file and version of testpmd in %q", proof.Is)
	}
	if datapath == "ovs-doca" && !strings.Contains(proof.Is, "DOCA 2.9.0") {
		t.Errorf("found no version of DOCA in %q", proof.Is)
	}
	must.Do(t, l.CheckFullSize(t.Context(), c.end("a"), c.end("b")))
	c.undone(t, l.Undo(t.Context()), before)
}

// TestPortOfAnotherBridge: DOCA's images put the ports into a bridge. They leave it, and return with
// their options.
func TestPortOfAnotherBridge(t *testing.T) {
	c := newCard(t)
	c.shell(`ovs-vsctl --timeout=10 add-port ovsbr2 p0 tag=7 -- set interface p0 type=` + c.Beside + ` \
	external_ids:owner=image`)
	port := func() string {
		return c.shell(`ovs-vsctl --timeout=10 port-to-br p0
ovs-vsctl --timeout=10 get port p0 tag -- get interface p0 type external_ids`)
	}
	before, was := c.snapshot(), port()
	l := c.apply(t, submode.SM1, "ovs-system")
	if is := port(); !strings.HasPrefix(is, "dpukv0\n") {
		t.Errorf("applied: found p0 in %q, want dpukv0", is)
	}
	if _, err := c.prove(t, l); err != nil {
		t.Error(err)
	}
	c.undone(t, l.Undo(t.Context()), before)
	if is := port(); is != was {
		t.Errorf("undo left the port as\n%s\nwant\n%s", is, was)
	}
}

// apply plans and applies a datapath, and makes the flow known.
func (c *card) apply(t *testing.T, name, datapath string) *submode.Lease {
	t.Helper()
	s := mustNew(t, name, datapath)
	var plan bytes.Buffer
	if err := s.Plan(&plan); err != nil || !strings.Contains(plan.String(), "## undo") {
		t.Errorf("the plan: %v\n%s", err, &plan)
	}
	l := must.Get(s.Apply(t.Context(), c.node()))(t)
	c.run(c.Node("a"), "ping", "-q", "-c", "3", "-i", "0.2", c.Address("b"))
	return l
}

// undone expects an undo to succeed, and to leave the state of a snapshot.
func (c *card) undone(t *testing.T, err error, before string) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	if after := c.snapshot(); after != before {
		t.Errorf("it left traces: before\n%s\nafter\n%s", before, after)
	}
}

// prove runs a load and compares the evidence before and after it.
func (c *card) prove(t *testing.T, l *submode.Lease) (*submode.Proof, error) {
	t.Helper()
	return c.proveAfter(t, l, 0)
}

// proveAfter waits after the load.
func (c *card) proveAfter(t *testing.T, l *submode.Lease, rest time.Duration) (*submode.Proof, error) {
	t.Helper()
	was, err := l.Evidence(t.Context())
	if err != nil {
		return nil, err
	}
	p := c.load()
	time.Sleep(rest)
	is, err := l.Evidence(t.Context())
	if err != nil {
		return nil, err
	}
	return submode.ProveLoad(was, is, submode.EndsOf(&p.ClientMoved, new(results.Moved)))
}
