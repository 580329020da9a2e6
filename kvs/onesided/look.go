package onesided

import "unsafe"

// verdict is what a READ of a neighbourhood tells of a key.
type verdict uint8

const (
	torn   verdict = iota // something was written meanwhile, or it is no table of this server
	found                 // the item holds the value
	far                   // the item says where the value is
	ask                   // only the server knows
	absent                // the key has no item
)

// look judges what a READ of a key's neighbourhood has brought: items from the key's home on. The
// bytes may be any.
func look(window []item, k *shortKey, s *seals) (verdict, *item) {
	for i := range window {
		it := &window[i]
		if !k.of(it) {
			continue
		}
		if !s.right(it) {
			return torn, nil
		}
		switch state := it.state(); state.kind() {
		case inline:
			if state.length() > InlineBytes {
				return torn, nil
			}
			return found, it
		case pointer:
			return far, it
		case asked:
			return ask, nil
		}
		return torn, nil
	}
	home := &window[0]
	switch {
	case !s.right(home):
		return torn, nil
	case home.state().flags()&flagElsewhere != 0:
		return ask, nil
	}
	return absent, nil
}

// within reports whether a block lies in the memory of the values.
func (b *block) within(s *shape) bool {
	return b.bytes >= 0 && b.bytes <= s.MaxValue && b.offset%wordBytes == 0 &&
		b.offset <= uint64(s.ValueBytes) && uint64(padded(b.bytes)) <= uint64(s.ValueBytes)-b.offset
}

// itemsIn are n items in memory that is aligned to words.
func itemsIn(memory []byte, n int) []item {
	return unsafe.Slice((*item)(unsafe.Pointer(&memory[0])), n)
}
