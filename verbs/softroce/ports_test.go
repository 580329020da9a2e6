package softroce

import "dpukv/verbs/softroce/udp"

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// labelled makes a QP that sends from the port of a flow label, with a peer. QPs may share devices.
func labelled(t *testing.T, typ verbs.QPType, label uint32, here, there *device) (*side, *side) {
	t.Helper()
	a, b := newSide(t, here, typ, testSizes), newSide(t, there, typ, testSizes)
	a.qp = must.Get(a.pd.CreateQP(verbs.QPConfig{
		Type: typ, SendCQ: a.sendCQ, RecvCQ: a.recvCQ, MaxSend: 64, MaxRecv: 64, FlowLabel: label,
	}))(t)
	connect(t, a, b)
	return a, b
}

// TestFlowLabel checks that packets leave from the port of their QP's label, alone and in trains,
// and arrive with a good ICRC. Others leave from the device's port.
func TestFlowLabel(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.UC, verbs.RC} {
		here, there := openTest(t, Options{}), openTest(t, Options{})
		for _, c := range []struct {
			label uint32
			port  uint16
		}{{1, 0xc001}, {4, 0xc004}, {1<<14 | 3, 0xc002}, {0, verbs.RoCEPort}} {
			a, b := labelled(t, typ, c.label, here, there)
			list := make([]verbs.SendWR, 9)
			for i := range list {
				list[i] = a.write(uint64(i), 64*i, 64)
			}
			fill(a.mr.Bytes()[:9*64], byte(c.label)+1)
			a.post(list[0])
			a.post(list[1:]...)
			completions(t, a.sendCQ, len(list), a, b)
			until(t, "the bytes", func() bool { return b.mr.Bytes()[9*64-1] == a.mr.Bytes()[9*64-1] }, b)
			if got := there.receiver.source.Port(); got != c.port {
				t.Errorf("%s with label %#x: packets came from port %#x, want %#x", typ, c.label, got, c.port)
			}
			if n := there.Counters()["bad_icrc"]; n != 0 {
				t.Errorf("%s with label %#x: %d ICRCs are wrong", typ, c.label, n)
			}
		}
	}
}

// TestPortsAreShared checks that QPs with the same label share one socket. It closes with the last
// of them, or with the device.
func TestPortsAreShared(t *testing.T) {
	here, there := openTest(t, Options{}), openTest(t, Options{})
	a, _ := labelled(t, verbs.UC, 7, here, there)
	b, _ := labelled(t, verbs.UC, 7, here, there)
	c, _ := labelled(t, verbs.UC, 8, here, there)
	users := func(number uint16) int {
		if p := here.ports.byNumber[number]; p != nil {
			return p.users
		}
		return 0
	}
	if users(0xc007) != 2 || users(0xc008) != 1 {
		t.Errorf("%+v", here.ports.byNumber)
	}
	for range 2 { // the second time there is nothing to do
		if err := errors.Join(a.qp.Close(), b.qp.Close()); err != nil {
			t.Error(err)
		}
	}
	if users(0xc007) != 0 || users(0xc008) != 1 {
		t.Errorf("%+v", here.ports.byNumber)
	}
	if err := errors.Join(here.Close(), c.qp.Close()); err != nil || len(here.ports.byNumber) != 0 {
		t.Error(err, here.ports.byNumber)
	}
}

// TestPortTaken checks the error for a port that another program has: it names the port.
func TestPortTaken(t *testing.T) {
	here, there := openTest(t, Options{}), openTest(t, Options{})
	other := must.Get(udp.OpenSender(netip.AddrPortFrom(here.opts.Addr, 0xc005), 4096))(t)
	defer other.Close()
	a, b := newSide(t, here, verbs.UC, testSizes), newSide(t, there, verbs.UC, testSizes)
	qp := must.Get(a.pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: a.sendCQ, RecvCQ: a.recvCQ, MaxSend: 1,
		FlowLabel: 5,
	}))(t)
	if err := qp.Connect(b.qp.Local()); !errors.Is(err, unix.EADDRINUSE) || !strings.Contains(err.Error(), "49157") {
		t.Errorf("got %v, want the port's name", err)
	}
}

func TestFlowLabelRefused(t *testing.T) {
	a := newSide(t, openTest(t, Options{}), verbs.UC, testSizes)
	for want, c := range map[string]verbs.QPConfig{
		"allowed: 20 bits": {Type: verbs.UC, FlowLabel: 1 << 20},
		"on UD":            {Type: verbs.UD, FlowLabel: 1},
	} {
		c.SendCQ, c.RecvCQ, c.MaxSend = a.sendCQ, a.recvCQ, 1
		if _, err := a.pd.CreateQP(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
