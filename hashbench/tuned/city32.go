package tuned

import "math/bits"

// The multipliers that CityHash32 takes from Murmur3.
const (
	c1 = 0xcc9e2d51
	c2 = 0x1b873593
)

func ror32(x uint32, k int) uint32 { return bits.RotateLeft32(x, -k) }

func fmix(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// scatter spreads four bytes; step folds them into the state.
func scatter(a uint32) uint32 { return ror32(a*c1, 17) * c2 }

func step(h, a uint32, k int) uint32 { return ror32(h^a, k)*5 + 0xe6546b64 }

func mur(a, h uint32) uint32 { return step(h, scatter(a), 19) }

func city32To4(s []byte) uint32 {
	b, c := uint32(0), uint32(9)
	for _, v := range s {
		b = b*c1 + uint32(int8(v))
		c ^= b
	}
	return fmix(mur(b, mur(uint32(len(s)), c)))
}

func city32To12(s []byte) uint32 {
	n := uint32(len(s))
	a, b, c, d := n, n*5, uint32(9), n*5
	a += u32(s)
	b += u32(s[len(s)-4:])
	c += u32(s[len(s)>>1&4:])
	return fmix(mur(c, mur(b, mur(a, d))))
}

func city32To24(s []byte) uint32 {
	middle, end := s[len(s)>>1-4:], s[len(s)-8:]
	h := mur(u32(middle), uint32(len(s)))
	h = mur(u32(s[4:]), h)
	h = mur(u32(end), h)
	h = mur(u32(middle[4:]), h)
	h = mur(u32(s), h)
	return fmix(mur(u32(end[4:]), h))
}

// City32 is CityHash32.
func City32(s []byte) uint32 {
	switch n := len(s); {
	case n <= 4:
		return city32To4(s)
	case n <= 12:
		return city32To12(s)
	case n <= 24:
		return city32To24(s)
	}
	return city32Long(s)
}

// city32Long hashes the last 20 bytes, then all blocks of 20 that begin before them.
func city32Long(s []byte) uint32 {
	end := (*[20]byte)(s[len(s)-20:])
	h, g := uint32(len(s)), c1*uint32(len(s))
	f := g
	h = step(h, scatter(u32(end[16:])), 19)
	h = step(h, scatter(u32(end[4:])), 19)
	g = step(g, scatter(u32(end[12:])), 19)
	g = step(g, scatter(u32(end[8:])), 19)
	f = ror32(f+scatter(u32(end[0:])), 19)*5 + 0xe6546b64
	for ; len(s) > 20; s = s[20:] {
		b := (*[20]byte)(s)
		a0, a1 := scatter(u32(b[0:])), u32(b[4:])
		a2, a3 := scatter(u32(b[8:])), scatter(u32(b[12:]))
		a4 := u32(b[16:])
		h = step(h, a0, 18)
		f = ror32(f+a1, 19) * c1
		g = ror32(g+a2, 18)*5 + 0xe6546b64
		h = step(h, a3+a1, 19)
		g = bits.ReverseBytes32(g^a4) * 5
		h = bits.ReverseBytes32(h + a4*5)
		f += a0
		f, h, g = g, f, h
	}
	g = ror32(ror32(g, 11)*c1, 17) * c1
	f = ror32(ror32(f, 11)*c1, 17) * c1
	h = ror32(h+g, 19)*5 + 0xe6546b64
	h = ror32(h, 17) * c1
	h = ror32(h+f, 19)*5 + 0xe6546b64
	return ror32(h, 17) * c1
}
