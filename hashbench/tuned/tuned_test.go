package tuned

import (
	"math/rand/v2"
	"testing"

	"github.com/dgryski/go-spooky"
	"github.com/go-faster/city"
)

// TestSameBits compares each function with the module beside it, for every length that takes
// another path through the code, at every alignment.
func TestSameBits(t *testing.T) {
	data := make([]byte, 1<<18+8)
	rng := rand.NewChaCha8([32]byte{1})
	_, _ = rng.Read(data)
	lengths := []int{4096, 65535, 1 << 18}
	for n := range 1501 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		same(t, data[n%8:][:n])
	}
}

func FuzzSameBits(f *testing.F) {
	f.Add([]byte("sixteen byte key"))
	f.Add(make([]byte, 200))
	f.Fuzz(func(t *testing.T, s []byte) { same(t, s) })
}

func same(t *testing.T, s []byte) {
	t.Helper()
	if got, want := City32(s), city.Hash32(s); got != want {
		t.Errorf("City32 of %d bytes is %#x, the module's %#x", len(s), got, want)
	}
	if got, want := City64(s), city.Hash64(s); got != want {
		t.Errorf("City64 of %d bytes is %#x, the module's %#x", len(s), got, want)
	}
	lo, hi := City128(s)
	if want := city.Hash128(s); lo != want.Low || hi != want.High {
		t.Errorf("City128 of %d bytes is %#x %#x, the module's %#x", len(s), lo, hi, want)
	}
	var wantLo, wantHi uint64
	spooky.Hash128(s, &wantLo, &wantHi)
	lo, hi = Spooky128(s)
	if lo != wantLo || hi != wantHi || Spooky64(s) != wantLo || Spooky32(s) != uint32(wantLo) {
		t.Errorf("Spooky128 of %d bytes is %#x %#x, the module's %#x %#x", len(s), lo, hi, wantLo, wantHi)
	}
}

func BenchmarkBulk(b *testing.B) {
	data := make([]byte, 1<<18)
	for _, f := range []struct {
		name string
		hash func([]byte)
	}{
		{"city32/tuned", func(s []byte) { City32(s) }},
		{"city32/module", func(s []byte) { city.Hash32(s) }},
		{"city64/tuned", func(s []byte) { City64(s) }},
		{"city64/module", func(s []byte) { city.Hash64(s) }},
		{"city128/tuned", func(s []byte) { City128(s) }},
		{"city128/module", func(s []byte) { city.Hash128(s) }},
		{"spooky128/tuned", func(s []byte) { Spooky128(s) }},
		{"spooky128/module", func(s []byte) { spooky.Hash64(s) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				f.hash(data)
			}
		})
	}
}
