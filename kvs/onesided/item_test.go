package onesided

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"dpukv/hashbench"
	"dpukv/hashbench/quality"
)

// TestSealAvalanche checks that each bit of an item changes each bit of the seal half of the time.
func TestSealAvalanche(t *testing.T) {
	s := newSeals(1)
	f := hashbench.Func{Name: "seal", Sum64: func(b []byte) uint64 {
		return s.of((*item)(unsafe.Pointer(&b[0])))
	}}
	block := hashbench.Func{Name: "seal of a block", Sum64: func(b []byte) uint64 {
		return s.ofBlock(wordsOf(b, len(b)), len(b))
	}}
	n := 2000
	if testing.Short() {
		n = 200
		t.Log("a short run: a tenth of the keys")
	}
	for _, of := range []struct {
		f     hashbench.Func
		bytes int
	}{{f, itemBytes - wordBytes}, {block, 24}, {block, 64}, {block, 104}} {
		for _, keys := range []quality.Keys{quality.Sequential, quality.Random} {
			room := of.f
			room.Sum64 = func(b []byte) uint64 {
				var line [128]byte // the seal reads whole items
				copy(line[:], b)
				return of.f.Sum64(line[:len(b):len(line)])
			}
			if b := quality.Avalanche(room, keys, of.bytes, n, 1); b.Worst > 1.3*b.Chance {
				t.Errorf("%s of %d %s bytes: worst bias %.3f, want about %.3f by chance", room.Name,
					of.bytes, keys, b.Worst, b.Chance)
			}
		}
	}
}

// TestSealOfMixtures mixes the bytes of two sealed items. No mixture has its seal, except for the
// two themselves.
func TestSealOfMixtures(t *testing.T) {
	s, rng := newSeals(2), rand.New(rand.NewPCG(1, 2))
	old := item{1, 2, 3, 3, 3, 3, uint64(makeState(1, 32, inline, 16, 0))}
	now := item{1, 2, 4, 4, 4, 4, uint64(makeState(2, 32, inline, 16, 0))}
	old[sealWord], now[sealWord] = s.of(&old), s.of(&now)
	wrong := 0
	for range 1_000_000 {
		mixed, bits := old, rng.Uint64()
		for i := range itemBytes {
			if bits>>i&1 > 0 {
				bytesOf(&mixed)[i] = bytesOf(&now)[i]
			}
		}
		if mixed != old && mixed != now && s.right(&mixed) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d mixtures have their seal", wrong)
	}
}

func bytesOf(it *item) *[itemBytes]byte { return (*[itemBytes]byte)(unsafe.Pointer(it)) }

// TestSealsOfServers checks that the items of one server, and its values, are none of another's.
func TestSealsOfServers(t *testing.T) {
	ours, theirs := newSeals(3), newSeals(4)
	var it item
	if it[sealWord] = theirs.of(&it); ours.right(&it) {
		t.Error("a free place of another server is taken for one of this")
	}
	words := []uint64{1, 2, 3}
	if b := (block{bytes: 24, seal: theirs.ofBlock(words, 24)}); ours.rightBlock(words, &b) {
		t.Error("a value of another server is taken for one of this")
	}
	k := shorten([]byte("a key"))
	if v, _ := look(make([]item, 8), &k, &ours); v != torn {
		t.Errorf("memory of zeros: verdict %d, want torn", v)
	}
}

// FuzzLook checks that no bytes of a READ lead outside the table's memory, and that a value comes
// only with its seal.
func FuzzLook(f *testing.F) {
	s := newSeals(5)
	k := shorten([]byte("a key"))
	it := item{k.low, k.high, 7, 40, 9, 0, uint64(makeState(1, 8, inline, k.bytes, 0))}
	it[sealWord] = s.of(&it)
	f.Add(bytesOf(&it)[:], false)
	it[stateWord] = uint64(makeState(2, 0, pointer, k.bytes, 0))
	it[sealWord] = s.of(&it)
	f.Add(bytesOf(&it)[:], false)
	f.Add(make([]byte, 4*itemBytes), true)
	size := shape{Slots: 8, Neighbourhood: 4, ValueBytes: 4096, MaxValue: 300}
	f.Fuzz(func(t *testing.T, text []byte, believed bool) {
		window := make([]item, 4)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&window[0])), 4*itemBytes), text)
		s := s
		s.without = believed
		switch v, it := look(window, &k, &s); v {
		case found:
			if !s.right(it) || it.state().length() > InlineBytes || len(it.value()) > InlineBytes {
				t.Errorf("found %x", *it)
			}
		case far:
			b := it.block()
			end := b.offset + uint64(padded(b.bytes))
			if b.within(&size) && (b.bytes > size.MaxValue || end > uint64(size.ValueBytes)) {
				t.Errorf("a value at %d of %d bytes lies in the memory of %d", b.offset, b.bytes, size.ValueBytes)
			}
		case torn, ask, absent:
			if it != nil {
				t.Error("an item without a verdict for it")
			}
		}
	})
}
