package hashbench

import (
	"hash/crc32"

	"github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-farm"
	"github.com/go-faster/city"
	"github.com/twmb/murmur3"
	"github.com/zeebo/xxh3"
)

// Widen spreads a 32-bit hash over 64 bits. It is the finalizer of SplitMix64 after the
// addition of that generator's increment (which keeps 0 from mapping to 0): a bijection of 64-bit
// words, so that different hashes stay different.
func Widen(h uint32) uint64 {
	x := uint64(h) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func city32(key []byte) uint64  { return Widen(city.Hash32(key)) }
func city64(key []byte) uint64  { return city.Hash64(key) }
func city128(key []byte) uint64 { return city.Hash128(key).Low }

func murmur32(key []byte) uint64 { return Widen(murmur3.Sum32(key)) }

func murmur128(key []byte) uint64 {
	first, _ := murmur3.Sum128(key)
	return first
}

func xxh64(key []byte) uint64  { return xxhash.Sum64(key) }
func xxh364(key []byte) uint64 { return xxh3.Hash(key) }

// FarmHash's own Hash32 and Hash64 differ from CPU to CPU; its fingerprints do not.
func farm32(key []byte) uint64 { return Widen(farm.Fingerprint32(key)) }
func farm64(key []byte) uint64 { return farm.Fingerprint64(key) }

// FNV-1a is written out because hash/fnv offers it only behind an interface and
// an allocation.
func fnv1a32(key []byte) uint64 {
	h := uint32(2166136261)
	for _, b := range key {
		h = (h ^ uint32(b)) * 16777619
	}
	return Widen(h)
}

func fnv1a64(key []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range key {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func crc32c(key []byte) uint64 { return Widen(crc32.Checksum(key, castagnoli)) }
