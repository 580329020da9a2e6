package tuned

import "math/bits"

// The multipliers of CityHash, primes between 2⁶³ and 2⁶⁴.
const (
	k0 = 0xc3a5c85c97cb3127
	k1 = 0xb492b66fbe98f273
	k2 = 0x9ae16a3b2f90404f
)

// mul16 is the multiplier of Hash128to64.
const mul16 = 0x9ddfea08eb382d69

func ror(x uint64, k int) uint64 { return bits.RotateLeft64(x, -k) }

func shiftMix(x uint64) uint64 { return x ^ x>>47 }

func mix16(u, v, mul uint64) uint64 {
	a := shiftMix((u ^ v) * mul)
	return shiftMix((v^a)*mul) * mul
}

func city0to16(s []byte) uint64 {
	if len(s) >= 8 {
		return city8to16(s)
	}
	return city0to7(s)
}

func city8to16(s []byte) uint64 {
	mul := k2 + uint64(len(s))*2
	a, b := u64(s)+k2, u64(s[len(s)-8:])
	return mix16(ror(b, 37)*mul+a, (ror(a, 25)+b)*mul, mul)
}

func city0to7(s []byte) uint64 {
	n := uint64(len(s))
	switch {
	case n >= 4:
		return mix16(n+uint64(u32(s))<<3, uint64(u32(s[len(s)-4:])), k2+n*2)
	case n > 0:
		y := uint32(s[0]) + uint32(s[n>>1])<<8
		z := uint32(n) + uint32(s[n-1])<<2
		return shiftMix(uint64(y)*k2^uint64(z)*k0) * k2
	}
	return k2
}

func city17to32(s []byte) uint64 {
	end := s[len(s)-16:]
	mul := k2 + uint64(len(s))*2
	a, b := u64(s)*k1, u64(s[8:])
	c, d := u64(end[8:])*mul, u64(end)*k2
	return mix16(ror(a+b, 43)+ror(c, 30)+d, a+ror(b+k2, 18)+c, mul)
}

func city33to64(s []byte) uint64 {
	head, end := (*[32]byte)(s), (*[32]byte)(s[len(s)-32:])
	mul := k2 + uint64(len(s))*2
	a, b := u64(head[0:])*k2, u64(head[8:])
	e, f := u64(head[16:])*k2, u64(head[24:])*9
	d, c := u64(end[0:]), u64(end[8:])
	h, g := u64(end[16:])*mul, u64(end[24:])
	u := ror(a+g, 43) + (ror(b, 30)+c)*9
	v := ((a + g) ^ d) + f + 1
	w := bits.ReverseBytes64((u+v)*mul) + h
	x := ror(e+f, 42) + c
	y := (bits.ReverseBytes64((v+w)*mul) + g) * mul
	z := e + f + c
	a = bits.ReverseBytes64((x+z)*mul+y) + b
	return shiftMix((z+a)*mul+d+h)*mul + x
}

// weak mixes 32 bytes into two words of state.
func weak(w, x, y, z, a, b uint64) (uint64, uint64) {
	a += w
	b = ror(b+a+z, 21)
	c := a
	a += x + y
	b += ror(a, 44)
	return a + z, b + c
}

// City64 is CityHash64.
func City64(s []byte) uint64 {
	switch n := len(s); {
	case n >= 8 && n <= 16: // a store's keys: city8to16, without a call
		mul := k2 + uint64(n)*2
		a, b := u64(s)+k2, u64(s[n-8:])
		return mix16(ror(b, 37)*mul+a, (ror(a, 25)+b)*mul, mul)
	case n < 8:
		return city0to7(s)
	case n <= 32:
		return city17to32(s)
	case n <= 64:
		return city33to64(s)
	}
	return cityLong(s)
}

// cityLong hashes the last 64 bytes, then all blocks of 64 that begin before them.
func cityLong(s []byte) uint64 {
	n, end := uint64(len(s)), (*[64]byte)(s[len(s)-64:])
	x := at64(end, 24)
	y := at64(end, 48) + at64(end, 8)
	z := mix16(at64(end, 16)+n, at64(end, 40), mul16)
	v0, v1 := weak(at64(end, 0), at64(end, 8), at64(end, 16), at64(end, 24), n, z)
	w0, w1 := weak(at64(end, 32), at64(end, 40), at64(end, 48), at64(end, 56), y+k1, x)
	x = x*k1 + u64(s)
	for ; len(s) > 64; s = s[64:] {
		b := (*[64]byte)(s)
		x = ror(x+y+v0+at64(b, 8), 37)*k1 ^ w1
		y = ror(y+v1+at64(b, 48), 42)*k1 + v0 + at64(b, 40)
		z = ror(z+w0, 33) * k1
		v0, v1 = weak(at64(b, 0), at64(b, 8), at64(b, 16), at64(b, 24), v1*k1, x+w0)
		w0, w1 = weak(at64(b, 32), at64(b, 40), at64(b, 48), at64(b, 56), z+w1, y+at64(b, 16))
		z, x = x, z
	}
	return mix16(mix16(v0, w0, mul16)+shiftMix(y)*k1+z, mix16(v1, w1, mul16)+x, mul16)
}
