package softroce

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"

	"go.uber.org/goleak"
)

// side is one end of a connection, with memory of its own.
type side struct {
	t      testing.TB
	dev    *device
	pd     verbs.PD
	mr     verbs.MR
	sendCQ verbs.CQ
	recvCQ verbs.CQ
	qp     verbs.QP
	ah     verbs.AH // UD: of the other side
	peer   *side
}

const testQKey = 0x11111111

// nextAddr returns another address for every device of this process, and separates processes.
var nextAddr atomic.Uint32

func testAddr() netip.Addr {
	n := nextAddr.Add(1)
	pid := uint32(os.Getpid())
	return netip.AddrFrom4([4]byte{127, byte(1 + pid%250), byte(pid / 250 % 250), byte(n%250 + 1)})
}

func openTest(t testing.TB, opts Options) *device {
	t.Helper()
	if !opts.Addr.IsValid() {
		opts.Addr = testAddr()
	}
	d := must.Get(open(opts))(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s: %+v", d.Info().Name, d.Events(time.Time{}))
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// sizes of what a side is made with.
type sizes struct{ memory, queue, depth int }

var testSizes = sizes{memory: 2 << 20, queue: 256, depth: 1024}

func newSide(t testing.TB, d *device, typ verbs.QPType, z sizes) *side {
	t.Helper()
	s := &side{t: t, dev: d}
	s.pd = must.Get(d.AllocPD())(t)
	s.mr = must.Get(s.pd.AllocMR(z.memory, verbs.LocalWrite|verbs.RemoteWrite|verbs.RemoteRead))(t)
	s.sendCQ = must.Get(d.CreateCQ(z.depth))(t)
	s.recvCQ = must.Get(d.CreateCQ(z.depth))(t)
	s.qp = must.Get(s.pd.CreateQP(verbs.QPConfig{
		Type: typ, SendCQ: s.sendCQ, RecvCQ: s.recvCQ, MaxSend: z.queue, MaxRecv: z.queue, MaxInline: 512,
		QKey: testQKey,
	}))(t)
	return s
}

func connect(t testing.TB, a, b *side) {
	t.Helper()
	a.peer, b.peer = b, a
	for _, s := range []*side{a, b} {
		must.Do(t, s.qp.Connect(s.peer.qp.Local()))
		if s.qp.Type() == verbs.UD {
			s.ah = must.Get(s.pd.CreateAH(s.peer.qp.Local()))(t)
		}
	}
}

// pair opens two devices and connects a QP of each.
func pair(t testing.TB, typ verbs.QPType, here, there Options) (*side, *side) {
	t.Helper()
	return pairOf(t, typ, here, there, testSizes)
}

func pairOf(t testing.TB, typ verbs.QPType, here, there Options, z sizes) (*side, *side) {
	t.Helper()
	a := newSide(t, openTest(t, here), typ, z)
	b := newSide(t, openTest(t, there), typ, z)
	connect(t, a, b)
	return a, b
}

func (s *side) sge(at, n int) verbs.SGE {
	return verbs.SGE{Addr: s.mr.Addr() + uint64(at), Length: uint32(n), LKey: s.mr.LKey()}
}

// write makes a signaled write of n bytes to the same offset in the peer's memory.
func (s *side) write(id uint64, at, n int) verbs.SendWR {
	return verbs.SendWR{
		ID: id, Op: verbs.OpWrite, Flags: verbs.Signaled, Local: s.sge(at, n),
		Remote: s.peer.mr.Addr() + uint64(at), RKey: s.peer.mr.RKey(),
	}
}

// send makes a signaled send.
func (s *side) send(id uint64, at, n int) verbs.SendWR {
	wr := verbs.SendWR{ID: id, Op: verbs.OpSend, Flags: verbs.Signaled, Local: s.sge(at, n)}
	if s.qp.Type() == verbs.UD {
		wr.AH, wr.QPN, wr.QKey = s.ah.Handle(), s.peer.qp.Num(), testQKey
	}
	return wr
}

func (s *side) post(wrs ...verbs.SendWR) {
	s.t.Helper()
	if n, err := s.qp.PostSend(wrs); err != nil || n != len(wrs) {
		s.t.Fatalf("PostSend took %d of %d: %v", n, len(wrs), err)
	}
}

func (s *side) postRecv(id uint64, at, n int) {
	s.t.Helper()
	if _, err := s.qp.PostRecv([]verbs.RecvWR{{ID: id, Local: s.sge(at, n)}}); err != nil {
		s.t.Fatal(err)
	}
}

// progress lets both devices work for a moment.
func progress(t testing.TB, sides ...*side) {
	t.Helper()
	for _, s := range sides {
		if _, err := s.dev.Progress(); err != nil {
			t.Fatal(err)
		}
	}
}

// until lets the sides work until done, and fails after a while.
func until(t testing.TB, what string, done func() bool, sides ...*side) {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); !done(); {
		progress(t, sides...)
		if time.Now().After(limit) {
			for _, s := range sides {
				t.Logf("%s: %v", s.dev.Info().Name, s.dev.Counters())
			}
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// drain lets both ends work until neither has had anything to do for a few turns, and all of their
// peers' packets have come. A busy kernel delivers packets later, in a thread of its own. drain
// does not wait long for dropped packets.
func drain(t testing.TB, sides ...*side) {
	t.Helper()
	limit := time.Now().Add(time.Second)
	for idle := 0; idle < 5 || !allCame(sides) && time.Now().Before(limit); idle++ {
		for _, s := range sides {
			if any := must.Get(s.dev.Progress())(t); any {
				idle = 0
			}
		}
	}
}

// allCame reports whether devices have received as many packets as their peers have sent.
func allCame(sides []*side) bool {
	for _, s := range sides {
		if s.peer != nil && s.dev.counters[rxPackets].Load() < s.peer.dev.counters[txPackets].Load() {
			return false
		}
	}
	return true
}

// completions takes n of a queue.
func completions(t testing.TB, q verbs.CQ, n int, sides ...*side) []verbs.WC {
	t.Helper()
	var got []verbs.WC
	wcs := make([]verbs.WC, n)
	until(t, fmt.Sprintf("%d completions", n), func() bool {
		k := must.Get(q.Poll(wcs[:n-len(got)]))(t)
		got = append(got, wcs[:k]...)
		return len(got) == n
	}, sides...)
	return got
}

// fill writes a pattern that differs from place to place.
func fill(b []byte, seed byte) {
	for i := range b {
		b[i] = byte(i*7+i>>8) + seed
	}
}

func checkLeaks(t *testing.T) {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
}

// words fills n words that show where they belong and when they were written.
func words(b []byte, slot int, round uint32, n int) {
	for i := range n {
		binary.LittleEndian.PutUint32(b[8*i:], uint32(slot))
		binary.LittleEndian.PutUint32(b[8*i+4:], round)
	}
}

func wordAt(b []byte) (slot, round uint32) {
	return binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
}
