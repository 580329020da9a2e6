package shm

import (
	"encoding/binary"
	"math"
	"math/big"
	"strings"
	"testing"
	"unsafe"

	"dpukv/internal/test/must"
	"dpukv/verbs"

	"pgregory.net/rapid"
)

// edges are the most harmful values for a word of a corrupt arena.
var edges = []uint64{
	0, 1, 7, 63, 64, minUnits, maxUnits, maxUnits + 1,
	uint64(pageBytes), uint64(pageBytes - 1), 1 << 31, 1<<31 - 1, math.MaxUint32,
	1 << 40, 1 << 63,
	math.MaxUint64, math.MaxUint64 - 4095, math.MaxUint64 - 7, 1 << 48, flagPresent << flagsShift,
}

// TestCorruptRing checks that an accepted ring lies in the arena, in aligned words, whatever its
// entry says.
func TestCorruptRing(t *testing.T) {
	a := openSmall(t).arena
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.OneOf(rapid.SampledFrom(edges), rapid.Uint64(), rapid.Uint64Range(0, uint64(2*len(a.mapped))))
		ring, units, tracks := word.Draw(rt, "ring"), uint32(word.Draw(rt, "units")), uint32(word.Draw(rt, "tracks"))
		if rapid.Bool().Draw(rt, "likely") {
			ring, units, tracks = ring&^uint64(pageBytes-1), 1<<(units%32), tracks%(udTracks+2)
		}
		if !a.holdsRing(ring, units, tracks) {
			return
		}
		size := new(big.Int).Mul(big.NewInt(int64(tracks)), new(big.Int).SetUint64(trackBytes(units)))
		end := size.Add(size, new(big.Int).SetUint64(ring))
		if end.Cmp(big.NewInt(int64(len(a.mapped)))) > 0 || ring < heapStart || ring%lineBytes != 0 {
			rt.Fatalf("%d tracks of %d units at %#x of %#x bytes", tracks, units, ring, len(a.mapped))
		}
	})
}

// TestRingBehindTheEnd checks a ring whose start plus length wraps to a small number. The sender
// must refuse it.
func TestRingBehindTheEnd(t *testing.T) {
	for _, kind := range []verbs.QPType{verbs.UC, verbs.UD} {
		a, b := pair(t, kind)
		b.receive(t, 0, 256)
		b.device.arena.queue(b.qp.Num()).ring.Store(math.MaxUint64 - uint64(pageBytes) + 1)
		a.post(t, a.message(t, b, 32))
		a.poll(t, 1)
		b.counted(t, map[string]uint64{"bad_message": 1})
	}
}

// message is a SEND of n bytes.
func (e *end) message(t testing.TB, to *end, n int) verbs.SendWR {
	wr := verbs.SendWR{Op: verbs.OpSend, Local: e.sge(0, n), Flags: verbs.Signaled}
	if e.qp.Type() == verbs.UD {
		wr.AH = must.Get(e.pd.CreateAH(to.qp.Local()))(t).Handle()
		wr.QPN, wr.QKey = to.qp.Num(), 7
	}
	return wr
}

// smallBytes is the size of a small device's arena.
const smallBytes = 1 << 20

func openSmall(t testing.TB) *Device {
	t.Helper()
	return must.Keep(Open(Config{ArenaBytes: smallBytes}))(t)
}

// FuzzCorruptArena runs two ends while their arenas are overwritten, as a hostile peer can do.
// Neither may fault or hang.
func FuzzCorruptArena(f *testing.F) {
	f.Add([]byte{0, 5, 1, 0, 2, 0, 3, 1, 4})
	f.Add([]byte("\x00\x03\x30\x0f\x01\x00\x01\x08\x02\x10\x00\x04\x01\x02\x03\x04\x05"))
	f.Fuzz(func(t *testing.T, program []byte) {
		kind := verbs.UC
		p := tape{program}
		if n := p.next(); n < 3 {
			kind = verbs.QPType(1 + n)
		}
		x := newCorrupted(t, kind)
		for len(p.bytes) > 0 {
			x.step(t, &p)
		}
	})
}

// tape is what a fuzzer wrote.
type tape struct{ bytes []byte }

func (p *tape) next() byte {
	if len(p.bytes) == 0 {
		return 0
	}
	b := p.bytes[0]
	p.bytes = p.bytes[1:]
	return b
}

// word is one of the edges, or any.
func (p *tape) word() uint64 {
	if n := int(p.next()); n < len(edges) {
		return edges[n]
	}
	var b [8]byte
	p.bytes = p.bytes[copy(b[:], p.bytes):]
	return binary.LittleEndian.Uint64(b[:])
}

// corrupted are two ends whose arenas are overwritten.
type corrupted struct {
	a, b *end
	// As they were: where b's ring lies, and a message to b.
	ring    uint64
	message verbs.SendWR
}

func newCorrupted(t *testing.T, kind verbs.QPType) *corrupted {
	x := &corrupted{newEnd(t, openSmall(t), kind, 8), newEnd(t, openSmall(t), kind, 8), 0, verbs.SendWR{}}
	for _, err := range []error{x.a.qp.Connect(x.b.qp.Local()), x.b.qp.Connect(x.a.qp.Local())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	x.b.receive(t, 0, 256)
	x.message = x.a.message(t, x.b, 0)
	x.ring = x.b.device.arena.queue(x.b.qp.Num()).ring.Load()
	return x
}

func (x *corrupted) step(t *testing.T, p *tape) {
	switch p.next() % 6 {
	case 0:
		x.poke(x.b, p)
	case 1:
		x.poke(x.a, p)
	case 2:
		wr := x.message
		wr.Local.Length = uint32(p.word() % 256)
		_, _ = x.a.qp.PostSend([]verbs.SendWR{wr, wr})
	case 3:
		wr := x.a.write(x.b, int(p.next()), int(p.next()))
		wr.Op = []verbs.SendOp{verbs.OpWrite, verbs.OpWriteImm, verbs.OpRead, verbs.OpSend}[p.next()%4]
		wr.Remote += p.word()
		_, _ = x.a.qp.PostSend([]verbs.SendWR{wr, wr})
	case 4:
		_, _ = x.b.cq.Poll(make([]verbs.WC, 8))
		_, _ = x.a.cq.Poll(make([]verbs.WC, 8))
	case 5:
		_, _ = x.b.qp.PostRecv([]verbs.RecvWR{{Local: x.b.sge(int(p.next()), int(p.next()))}})
	}
}

// poke overwrites one word of an end's arena where it matters.
func (x *corrupted) poke(e *end, p *tape) {
	a := e.device.arena
	where := []unsafe.Pointer{
		unsafe.Pointer(a.header()), unsafe.Pointer(a.region(e.mr.RKey())), unsafe.Pointer(a.queue(e.qp.Num())),
		a.at(x.ring), a.at(x.ring + uint64(trackHeadBytes)), a.at(x.ring + uint64(trackHeadBytes) + unitBytes),
	}
	at := unsafe.Add(where[int(p.next())%len(where)], int(p.next())%16*wordBytes)
	*(*uint64)(at) = p.word()
}

// TestMemoryThatIsNotThere checks that too large a region is refused before a page of it is
// touched, as everywhere in dpukv.
func TestMemoryThatIsNotThere(t *testing.T) {
	d := openDevice(t)
	pd := must.Get(d.AllocPD())(t)
	_, err := pd.AllocMR(1<<45, verbs.LocalWrite)
	if err == nil || !strings.Contains(err.Error(), "MemAvailable") {
		t.Errorf("a memory region of 32 TiB: %v", err)
	}
}
