package load

import "encoding/binary"

// A value is a function of its key's index and a version. The version distinguishes the SETs of one
// key:
//
//	 0         4         8                    16
//	+---------+---------+--------------------+---- - -
//	| version |  check  | word 1 (key, ver.) | word 2 …
//	+---------+---------+--------------------+---- - -
//
// All fields are little-endian. The last word is cut off at the end of the value.
//
// The check is a bijection of the version for each key. So damage to either of the two alone is
// always found, and so is damage to the words behind them. Damage to both passes once in 2³² times.
// Another key's value of 8 bytes also passes once in 2³² times, and a longer one practically never.
//
// Values of n < 8 bytes have no room for a version: they are n bytes that the key decides. Those of
// another key pass once in 2⁸ⁿ times.
const valueHeader = 8

// VersionedBytes is the size of the smallest value that tells its version.
const VersionedBytes = valueHeader

// FillValue writes the value of a key in a version over the whole of dst. A value shorter than 8
// bytes has one version only, and ignores the argument.
func FillValue(dst []byte, key uint64, version uint32) {
	keyed := mix64(key + golden)
	if len(dst) < valueHeader {
		fillTail(dst, keyed)
		return
	}
	binary.LittleEndian.PutUint64(dst, headerWord(keyed, version))
	dst = dst[valueHeader:]
	word := streamSeed(keyed, version)
	for len(dst) >= 8 {
		word += golden
		binary.LittleEndian.PutUint64(dst, streamWord(word))
		dst = dst[8:]
	}
	fillTail(dst, streamWord(word+golden))
}

// CheckValue reports whether val is a whole value of the key with size bytes, in any version.
func CheckValue(val []byte, key uint64, size int) bool {
	if len(val) != size {
		return false
	}
	keyed := mix64(key + golden)
	if len(val) < valueHeader {
		return tailWord(val) == keyed&tailMask(len(val))
	}
	header := binary.LittleEndian.Uint64(val)
	version := uint32(header)
	if header != headerWord(keyed, version) {
		return false
	}
	return len(val) == valueHeader || checkStream(val[valueHeader:], streamSeed(keyed, version))
}

// SizedVersion is the version of a value whose key has no size of its own: the number of a SET, and
// the size below it, of up to 65,535 bytes.
func SizedVersion(number uint16, size int) uint32 { return uint32(number)<<16 | uint32(size) }

// CheckSized reports whether val is a whole value of the key in a [SizedVersion] of its size. A
// value of less than 8 bytes tells no version, and passes with any such size.
func CheckSized(val []byte, key uint64) bool {
	if len(val) >= valueHeader && int(uint16(ValueVersion(val))) != len(val) {
		return false
	}
	return CheckValue(val, key, len(val))
}

// SizedNumber returns the number in the [SizedVersion] of a value, or 0 for a short value.
func SizedNumber(val []byte) uint16 { return uint16(ValueVersion(val) >> 16) }

// ValueVersion returns the version in a value of [FillValue], or 0 for a short value.
func ValueVersion(val []byte) uint32 {
	if len(val) < valueHeader {
		return 0
	}
	return binary.LittleEndian.Uint32(val)
}

func headerWord(keyed uint64, version uint32) uint64 {
	check := mix32(version^uint32(keyed)) + uint32(keyed>>32)
	return uint64(check)<<32 | uint64(version)
}

// streamSeed and streamWord make the words behind the header. Values are compared in full, so the
// words have to differ, but need not be random.
func streamSeed(keyed uint64, version uint32) uint64 { return keyed ^ uint64(version)<<32 }

func streamWord(x uint64) uint64 {
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>32
}

func checkStream(val []byte, word uint64) bool {
	differ := uint64(0)
	for len(val) >= 8 {
		word += golden
		differ |= binary.LittleEndian.Uint64(val) ^ streamWord(word)
		val = val[8:]
	}
	return differ|(tailWord(val)^streamWord(word+golden)&tailMask(len(val))) == 0
}

// fillTail writes the first bytes of a word over dst, which is shorter than a word.
func fillTail(dst []byte, word uint64) {
	for i := range dst {
		dst[i] = byte(word >> (8 * i))
	}
}

// tailWord reads the bytes of fillTail.
func tailWord(val []byte) uint64 {
	word := uint64(0)
	for i, b := range val {
		word |= uint64(b) << (8 * i)
	}
	return word
}

func tailMask(n int) uint64 { return 1<<(8*n) - 1 }
