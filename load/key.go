package load

import "encoding/binary"

// NewKey makes the buffer of a key with its prefix. number is the part of it for [FillKey].
func (w *Workload) NewKey() (key, number []byte) {
	key = make([]byte, w.KeyBytes)
	return key, key[copy(key, w.KeyPrefix):]
}

// FillKey writes the key with the given index over the whole of dst. The key is the index in
// little-endian. A shorter dst cuts it off; a workload allows no more keys than remain distinct. In
// a longer dst, bytes follow that the index decides too.
func FillKey(dst []byte, index uint64) {
	if len(dst) == 8 { // the usual size
		binary.LittleEndian.PutUint64(dst, index)
		return
	}
	word := index
	for len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, word)
		dst = dst[8:]
		word = mix64(word + golden)
	}
	for i := range dst {
		dst[i] = byte(word >> (8 * i))
	}
}
