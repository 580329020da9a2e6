package hashbench

import (
	"crypto/md5"
	"encoding/binary"
	"hash/crc32"
	"hash/maphash"

	"github.com/dchest/siphash"
	"github.com/dgryski/go-spooky"
	"github.com/go-faster/city"
	"github.com/minio/highwayhash"
	"github.com/zeebo/blake3"
	"github.com/zeebo/xxh3"
)

// These adapters fit the modules' functions to the registry. Keyed functions get the keys of their
// published test vectors.

func cityModule128(key []byte) (lo, hi uint64) {
	h := city.Hash128(key)
	return h.Low, h.High
}

func spookyModule128(key []byte) (lo, hi uint64) {
	spooky.Hash128(key, &lo, &hi)
	return lo, hi
}

func xxh3Sum128(key []byte) (lo, hi uint64) {
	h := xxh3.Hash128(key)
	return h.Lo, h.Hi
}

func md5Sum(key []byte) (lo, hi uint64) {
	h := md5.Sum(key)
	return words(h[:])
}

func blake3Sum(key []byte) (lo, hi uint64) {
	h := blake3.Sum256(key)
	return words(h[:])
}

// words are a digest's first 16 bytes as two little-endian numbers.
func words(digest []byte) (lo, hi uint64) {
	return binary.LittleEndian.Uint64(digest), binary.LittleEndian.Uint64(digest[8:])
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crc32c(key []byte) uint32 { return crc32.Checksum(key, castagnoli) }

// The SipHash authors' key: the bytes 0 to 15.
const (
	sipKey0 = 0x0706050403020100
	sipKey1 = 0x0f0e0d0c0b0a0908
)

func sip64(key []byte) uint64           { return siphash.Hash(sipKey0, sipKey1, key) }
func sip128(key []byte) (lo, hi uint64) { return siphash.Hash128(sipKey0, sipKey1, key) }
func highway64(key []byte) uint64       { return highwayhash.Sum64(key, highwayKey) }
func mapHash(key []byte) uint64         { return maphash.Bytes(mapSeed, key) }
func highway128(key []byte) (lo, hi uint64) {
	h := highwayhash.Sum128(key, highwayKey)
	return words(h[:])
}

// highwayKey is the key of the authors' tests: the bytes 0 to 31.
var highwayKey = ascending(32)

var mapSeed = maphash.MakeSeed()

// ascending are the bytes 0, 1, 2 and so on.
func ascending(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}
