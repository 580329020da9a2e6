package nasty

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/verbs"
	"dpukv/verbs/shm"

	"go.uber.org/goleak"
)

func TestParse(t *testing.T) {
	got, err := Parse("pcie,seed=7,window=3,late=0,rare=5,inline=-1")
	want := Config{Model: PCIe, Seed: 7, Window: 3, Early: true, Rare: 5, Inline: -1}
	if err != nil || got != want {
		t.Errorf("found %+v, %v", got, err)
	}
	for _, text := range []string{
		"", "PCIE", "pcie,", "pcie,seed", "pcie,seed=-1", "pcie,window=0", "pcie,late=2", "pcie,rare=0",
		"pcie,inline=0", "pcie,inline=-2", "pcie,colour=7",
	} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), "nasty: found") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func open(t *testing.T) verbs.Device {
	t.Helper()
	return must.Get(shm.Open(shm.Config{}))(t)
}

// TestClose checks that the pump ends, and that a second Close does nothing.
func TestClose(t *testing.T) {
	defer goleak.VerifyNone(t)
	d := Wrap(open(t), Config{Model: PCIe})
	must.Do(t, errors.Join(d.Close(), d.Close()))
}

// wire is a queue pair over a manual device, and the memory of its peer.
type wire struct {
	device   *Device
	cq       verbs.CQ
	qp       verbs.QP
	from, to verbs.MR
}

const wireBytes = 1 << 12

func newWire(t *testing.T, c Config) *wire {
	t.Helper()
	c.Manual = true
	w := &wire{device: Wrap(open(t), c)}
	t.Cleanup(func() {
		if err := w.device.Close(); err != nil {
			t.Error(err)
		}
	})
	var qps [2]verbs.QP
	for i := range qps {
		pd := must.Get(w.device.AllocPD())(t)
		cq := must.Get(w.device.CreateCQ(64))(t)
		qps[i] = must.Get(pd.CreateQP(verbs.QPConfig{
			Type: verbs.RC, SendCQ: cq, RecvCQ: cq, MaxSend: 16, MaxInline: 512,
		}))(t)
		mr := must.Get(pd.AllocMR(wireBytes, verbs.LocalWrite|verbs.RemoteWrite|verbs.RemoteRead))(t)
		if i == 0 {
			w.cq, w.qp, w.from = cq, qps[i], mr
		} else {
			w.to = mr
		}
	}
	for i := range qps {
		must.Do(t, qps[i].Connect(qps[1-i].Local()))
	}
	return w
}

// post posts a signaled WRITE, or READ, of n bytes at an offset of both memories.
func (w *wire) post(t *testing.T, op verbs.SendOp, at, n int, flags verbs.SendFlags) {
	t.Helper()
	must.Get(w.qp.PostSend([]verbs.SendWR{{
		ID: uint64(at), Op: op, Flags: flags | verbs.Signaled,
		Local:  verbs.SGE{Addr: w.from.Addr() + uint64(at), Length: uint32(n), LKey: w.from.LKey()},
		Remote: w.to.Addr() + uint64(at), RKey: w.to.RKey(),
	}}))(t)
}

func (w *wire) completed(t *testing.T) (ids []uint64) {
	t.Helper()
	var wcs [16]verbs.WC
	n, err := w.cq.Poll(wcs[:])
	for _, wc := range wcs[:n] {
		if wc.Status != verbs.StatusSuccess {
			t.Errorf("%+v", wc)
		}
		ids = append(ids, wc.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// fill makes all bytes of the source new.
func (w *wire) fill(v byte) { copy(w.from.Bytes(), bytes.Repeat([]byte{v}, wireBytes)) }

// TestModels draws many orders of one WRITE of four lines. It checks that each state on the way is
// one that the model permits, that a completion tells the truth, and that the orders differ.
func TestModels(t *testing.T) {
	const at, n = 64 + 8, 4*lineBytes - 16
	for _, model := range Models {
		w := newWire(t, Config{Model: model, Seed: 3})
		seen := map[string]bool{}
		for round := byte(1); round < 60; round++ {
			w.fill(round)
			w.post(t, verbs.OpWrite, at, n, 0)
			order := ""
			for moved := true; moved; {
				var err error
				if moved, err = w.device.Turn(); err != nil {
					t.Fatal(err)
				}
				state := bytes.Clone(w.to.Bytes()[at : at+n])
				order += string(state)
				done := bytes.Count(state, []byte{round}) == n
				if why := forbidden(model, state, round, at); why != "" {
					t.Fatalf("%s: %s: %d", model, why, state)
				}
				if ids := w.completed(t); moved && (len(ids) > 0) != done {
					t.Fatalf("%s: completions %v, whole: %v", model, ids, done)
				}
			}
			seen[strings.ReplaceAll(order, string(rune(round)), "x")] = true
		}
		if few := len(seen) < 15; few != (model == Ordered) {
			t.Errorf("%s: %d orders", model, len(seen))
		}
	}
}

// forbidden says why a model does not permit a state on the way to a WRITE of value v at an offset.
func forbidden(model Model, state []byte, v byte, at int) string {
	whole := func(unit int) bool {
		for i := 1; i < len(state); i++ {
			if (at+i)%unit != 0 && (state[i] == v) != (state[i-1] == v) {
				return false
			}
		}
		return true
	}
	last := state[len(state)-1] == v
	switch {
	case model == Ordered && !whole(1<<20):
		return "a part"
	case model == LastWord && !whole(wordBytes):
		return "a part of a word"
	case model == LastWord && last && bytes.Count(state, []byte{v}) < len(state):
		return "the last word is not the last"
	case model == PCIe && !whole(lineBytes):
		return "a part of a line"
	}
	return ""
}

// TestPayload checks when payload is read.
func TestPayload(t *testing.T) {
	for name, test := range map[string]struct {
		early bool
		flags verbs.SendFlags
		want  byte
	}{
		"late": {false, 0, 2}, "inline": {false, verbs.Inline, 1}, "early": {true, 0, 1},
	} {
		w := newWire(t, Config{Model: PCIe, Early: test.early})
		w.fill(1)
		w.post(t, verbs.OpWrite, 0, 200, test.flags)
		w.fill(2)
		for w.device.Waiting() > 0 {
			must.Do(t, w.device.Step(0))
		}
		if got := w.to.Bytes()[:200]; !bytes.Equal(got, bytes.Repeat([]byte{test.want}, 200)) {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// TestBarriers checks that a READ waits for the WRITEs before it, and that all complete in order
// although the pieces of WRITEs mix.
func TestBarriers(t *testing.T) {
	mixed := false
	for seed := range uint64(20) {
		w := newWire(t, Config{Model: IBTA, Seed: seed})
		w.fill(1)
		for i := range 4 {
			w.post(t, verbs.OpWrite, i*256, 256, 0)
		}
		w.post(t, verbs.OpRead, 1024, 64, 0)
		var ids []uint64
		for moved := true; moved; {
			var err error
			if moved, err = w.device.Turn(); err != nil {
				t.Fatal(err)
			}
			to := w.to.Bytes()
			mixed = mixed || to[256+255] == 1 && bytes.Contains(to[:256], []byte{0})
			ids = append(ids, w.completed(t)...)
			if w.from.Bytes()[1024] == 0 && bytes.Contains(to[:1024], []byte{0}) {
				t.Fatal("a READ has overtaken a WRITE")
			}
		}
		if fmt.Sprint(ids) != "[0 256 512 768 1024]" {
			t.Fatalf("completions %v", ids)
		}
	}
	if !mixed {
		t.Error("the pieces of WRITEs never mix")
	}
}

// TestDevice checks what the device says of itself, and that its keys count.
func TestDevice(t *testing.T) {
	for model, want := range map[Model]verbs.Placement{
		Ordered: verbs.LastWord, LastWord: verbs.LastWord, PCIe: verbs.Lines, IBTA: verbs.NoOrder,
	} {
		d := newWire(t, Config{Model: model, Seed: 9}).device
		if i := d.Info(); i.Placement != want || !i.Emulated || i.Provider != "shm nasty="+string(model) ||
			!strings.HasSuffix(i.Name, ",seed=9") {
			t.Errorf("%+v", i)
		}
	}
	for inline, want := range map[int]int{0: shm.MTU, 100: 100, -1: 0, 1 << 20: shm.MTU} {
		if p, err := newWire(t, Config{Model: PCIe, Inline: inline}).device.Port(); err != nil || p.MaxInline != want {
			t.Errorf("inline=%d: %d, %v", inline, p.MaxInline, err)
		}
	}
	w, cut := newWire(t, Config{Model: PCIe, Rare: 4}), 0
	for range 400 {
		w.post(t, verbs.OpWrite, 0, 128, 0)
		if cut += w.device.Waiting() - 1; w.device.Waiting() == 2 {
			_ = w.device.Step(1)
		}
		_ = w.device.Step(0)
		w.completed(t)
	}
	if cut < 50 || cut > 150 {
		t.Errorf("rare=4: %d of 400 messages are cut", cut)
	}
	if err := w.device.Step(0); err == nil {
		t.Error("a step without a message")
	}
}
