package verbstest

import (
	"net"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/shm"
	"dpukv/verbs/sidechannel"
)

// bent is a device that changes work requests as a broken one might.
type bent struct {
	verbs.Device
	send func(*verbs.SendWR)
}

type bentPD struct {
	verbs.PD
	send func(*verbs.SendWR)
}

type bentQP struct {
	verbs.QP
	send func(*verbs.SendWR)
}

func (b bent) AllocPD() (verbs.PD, error) {
	pd, err := b.Device.AllocPD()
	return bentPD{pd, b.send}, err
}

func (b bentPD) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	qp, err := b.PD.CreateQP(cfg)
	return bentQP{qp, b.send}, err
}

func (b bentQP) PostSend(wrs []verbs.SendWR) (int, error) {
	for i := range wrs {
		b.send(&wrs[i])
	}
	return b.QP.PostSend(wrs)
}

// TestDetects checks that each error of a broken device fails its case, and that both ends report
// it.
func TestDetects(t *testing.T) {
	good := testCase{Type: verbs.RC, Size: 100, Count: 4, Seed: 7}
	for _, test := range []struct {
		name string
		op   verbs.SendOp
		typ  verbs.QPType
		bend func(*verbs.SendWR)
		want string
	}{
		{"nothing", verbs.OpWrite, verbs.RC, func(*verbs.SendWR) {}, ""},
		{"bytes written", verbs.OpWrite, verbs.RC, func(wr *verbs.SendWR) { wr.Local.Addr++ }, "byte 0 of 100"},
		{"place written", verbs.OpWrite, verbs.RC, func(wr *verbs.SendWR) { wr.Remote++ }, "byte 0 of 100"},
		{"unreliable bytes", verbs.OpWrite, verbs.UC, func(wr *verbs.SendWR) { wr.Local.Addr++ }, "byte 0 of 100"},
		{"bytes read", verbs.OpRead, verbs.RC, func(wr *verbs.SendWR) { wr.Remote++ }, "byte 0 of 100"},
		{"bytes sent", verbs.OpSend, verbs.UD, func(wr *verbs.SendWR) { wr.Local.Addr++ }, "byte 0 of 100"},
		{"length", verbs.OpSend, verbs.RC, func(wr *verbs.SendWR) { wr.Local.Length-- }, "99 bytes, want 100"},
		{"immediate", verbs.OpSendImm, verbs.UD, func(wr *verbs.SendWR) { wr.Imm++ }, "want immediate"},
		{"no immediate", verbs.OpSendImm, verbs.RC, func(wr *verbs.SendWR) { wr.Op = verbs.OpSend }, "want immediate"},
		{"work request's ID", verbs.OpSend, verbs.RC, func(wr *verbs.SendWR) { wr.ID++ }, "want one of ID"},
		{"every one signaled", verbs.OpSend, verbs.RC, func(wr *verbs.SendWR) {
			wr.Flags |= verbs.Signaled
		}, "want one of ID"},
		{"status", verbs.OpWrite, verbs.RC, func(wr *verbs.SendWR) { wr.RKey ^= 0xff00 }, "success"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := good
			c.Op, c.Type = test.op, test.typ
			here, there := playBoth(t, c, test.bend)
			for _, err := range []error{here, there} {
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %q", err, test.want)
				}
			}
		})
	}
}

// playBoth plays a case between a bent initiator and a good target.
func playBoth(t *testing.T, c testCase, bend func(*verbs.SendWR)) (here, there error) {
	t.Helper()
	a, b := connectedChannels(t)
	served := make(chan error, 1)
	go func() {
		_, err := play(openSHM(t), b, c, false)
		served <- err
	}()
	lost, here := play(bent{openSHM(t), bend}, a, c, true)
	if lost {
		t.Error("a wrong message counts as lost")
	}
	return here, <-served
}

func openSHM(t *testing.T) verbs.Device {
	d, err := shm.Open(shm.Config{})
	if err != nil {
		t.Error(err)
		return nil
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func connectedChannels(t *testing.T) (a, b *sidechannel.Channel) {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	dialed := must.Get(net.Dial("tcp", l.Addr().String()))(t)
	accepted := must.Get(l.Accept())(t)
	a, b = sidechannel.New(dialed), sidechannel.New(accepted)
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}
