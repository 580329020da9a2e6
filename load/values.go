package load

import "encoding/binary"

// Values makes and checks the values of a workload. The key and the version decide a value's size:
// each SET of a key draws it anew. With [ByKey], the key alone decides it. All clients agree on it,
// as no seed is in it.
type Values struct {
	sizer
	byKey bool
	short uint8 // bit n: a value may have n < 8 bytes
}

// NewValues prepares the values of a workload.
func NewValues(w *Workload) Values {
	v := Values{sizer: newSizer(w.valueClasses()), byKey: w.ValueSizeBy == ByKey}
	for _, c := range v.classes {
		for n := c.least; n <= c.most && n < valueHeader; n++ {
			v.short |= 1 << n
		}
	}
	return v
}

// MaxBytes returns the size of the largest value.
func (v *Values) MaxBytes() int { return v.most }

// Size returns the size of a key's value in a version.
func (v *Values) Size(key uint64, version uint32) int {
	if v.one {
		return v.most
	}
	if v.byKey {
		version = 0
	}
	return v.size(mix64(mix64(key+golden) ^ uint64(version)<<32 ^ uint64(version)))
}

// Fill writes a value over the beginning of dst, which has room for the largest one.
func (v *Values) Fill(dst []byte, key uint64, version uint32) []byte {
	value := dst[:v.Size(key, version)]
	FillValue(value, key, version)
	return value
}

// Check reports whether val is a whole value of the key in any version, with the version's size. A
// value of less than 8 bytes tells no version: it passes with any such size that the workload has,
// unless the key decides the size.
func (v *Values) Check(val []byte, key uint64) bool {
	size := len(val)
	if v.byKey {
		return size == v.Size(key, 0) && CheckValue(val, key, size)
	}
	if size < valueHeader {
		return v.short>>size&1 == 1 && CheckValue(val, key, size)
	}
	return size == v.Size(key, binary.LittleEndian.Uint32(val)) && CheckValue(val, key, size)
}
