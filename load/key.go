package load

import "encoding/binary"

// Keys makes the keys of a workload: its prefix, and then the key's number. The number decides the
// size of a key, too. All clients agree on it, as no seed is in it.
type Keys struct {
	sizer
	prefix int    // its size
	room   []byte // for the longest key
}

// NewKeys prepares the keys of a workload.
func NewKeys(w *Workload) Keys {
	k := Keys{sizer: newSizer(w.keyClasses()), prefix: len(w.KeyPrefix)}
	k.room = make([]byte, k.most)
	copy(k.room, w.KeyPrefix)
	return k
}

// OneSize reports whether all keys have one size, and so the same buffers.
func (k *Keys) OneSize() bool { return k.one }

// Buffers returns those of the key with an index: key has its prefix already, and its part number
// is for [FillKey]. The buffers of all keys share their memory.
func (k *Keys) Buffers(index uint64) (key, number []byte) {
	key = k.room
	if !k.one {
		// The word is another one than those that decide the sizes of the key's values.
		key = key[:k.size(mix64(mix64(index+golden)+golden))]
	}
	return key, key[k.prefix:]
}

// Fill returns the key with an index. The next call overwrites it.
func (k *Keys) Fill(index uint64) []byte {
	key, number := k.Buffers(index)
	FillKey(number, index)
	return key
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
