package load

import (
	"testing"

	"pgregory.net/rapid"
)

func TestValueRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, version := rapid.Uint64().Draw(t, "key"), rapid.Uint32().Draw(t, "version")
		val := make([]byte, rapid.IntRange(1, 300).Draw(t, "size"))
		FillValue(val, key, version)
		if !CheckValue(val, key, len(val)) {
			t.Fatalf("own value % x is refused", val)
		}
		want := version
		if len(val) < 8 {
			want = 0
		}
		if got := ValueVersion(val); got != want {
			t.Fatalf("version is %d, want %d", got, want)
		}
		if CheckValue(val[:len(val)-1], key, len(val)) || CheckValue(append(val, 0), key, len(val)) {
			t.Fatal("a wrong length is taken")
		}
	})
}

// FuzzAnyDamagedByteIsFound: CheckValue checks each byte, so it always finds a damaged one.
func FuzzAnyDamagedByteIsFound(f *testing.F) {
	f.Add(uint64(0), uint32(0), uint16(8), uint16(0), byte(1))
	f.Add(uint64(1)<<40, uint32(1)<<31, uint16(1000), uint16(999), byte(0x80))
	f.Add(uint64(5), uint32(9), uint16(3), uint16(2), byte(0xff))
	f.Add(uint64(5), uint32(9), uint16(13), uint16(12), byte(4))
	f.Fuzz(func(t *testing.T, key uint64, version uint32, size, at uint16, flip byte) {
		if size == 0 || flip == 0 {
			t.Skip()
		}
		val := make([]byte, size)
		FillValue(val, key, version)
		val[int(at)%len(val)] ^= flip
		if CheckValue(val, key, len(val)) {
			t.Fatalf("value of %d bytes with byte %d flipped by %#x is taken", size, int(at)%len(val), flip)
		}
	})
}

// TestEveryByteIsChecked damages every byte of one value of each length.
func TestEveryByteIsChecked(t *testing.T) {
	for size := 1; size <= 40; size++ {
		val := make([]byte, size)
		FillValue(val, 3, 4)
		for i := range val {
			for bit := range 8 {
				val[i] ^= 1 << bit
				if CheckValue(val, 3, size) {
					t.Errorf("bit %d of byte %d of %d is not checked", bit, i, size)
				}
				val[i] ^= 1 << bit
			}
		}
	}
}

// TestOtherKeysValueIsFound: another key's value passes once in 2³² times. The test tries many
// neighbours, which a store would confuse most easily.
func TestOtherKeysValueIsFound(t *testing.T) {
	val := make([]byte, 8)
	for key := range uint64(2000) {
		FillValue(val, key, uint32(key))
		for other := range uint64(2000) {
			if other != key && CheckValue(val, other, 8) {
				t.Errorf("the value of key %d is taken for one of key %d", key, other)
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, size := range []int{4, 8, 32, 1000} {
		b.Run(sizeName(size), func(b *testing.B) {
			val := make([]byte, size)
			FillValue(val, 42, 7)
			b.ReportAllocs()
			for b.Loop() {
				if !CheckValue(val, 42, size) {
					b.Fatal("refused")
				}
			}
		})
	}
}

func sizeName(bytes int) string {
	return map[int]string{4: "4B", 8: "8B", 32: "32B", 1000: "1000B"}[bytes]
}
