package trace

import "github.com/cespare/xxhash/v2"

// keyTable numbers keys by the hash of their text, of 64 bits. Of 100 million keys, two have the
// same hash once in 3700 traces. A key takes 30 to [KeyMemory] bytes of memory.
type keyTable map[uint64]packedKey

// KeyMemory is the most bytes of memory that a key takes while a CSV file is read.
const KeyMemory = 64

// packedKey is a number of 40 bits and a size above it.
type packedKey uint64

// find returns the number and the size of a key. A new key has the next number, and the given size
// or the smallest one for its number.
func (t keyTable) find(text []byte, size uint64) (key uint64, keyBytes int, isNew, longer bool) {
	hash := xxhash.Sum64(text)
	if k, ok := t[hash]; ok {
		return uint64(k & (maxKeys - 1)), int(k >> 40), false, false
	}
	key = uint64(len(t))
	if least := uint64(keyBytesFor(key)); size < least {
		size, longer = least, true
	}
	t[hash] = packedKey(key | size<<40)
	return key, int(size), true, longer
}
