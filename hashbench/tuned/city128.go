package tuned

// City128 is CityHash128, as its low and high words.
func City128(s []byte) (lo, hi uint64) {
	if len(s) >= 16 {
		return city128(s[16:], u64(s), u64(s[8:])+k0)
	}
	return cityMurmur(s, k0, k1)
}

func city128(s []byte, x, y uint64) (lo, hi uint64) {
	if len(s) < 128 {
		return cityMurmur(s, x, y)
	}
	t := s
	z := uint64(len(s)) * k1
	v0 := ror(y^k1, 49)*k1 + u64(s)
	v1 := ror(v0, 42)*k1 + u64(s[8:])
	w0 := ror(y+z, 35)*k1 + x
	w1 := ror(x+u64(s[88:]), 53) * k1
	for blocks := len(s) / 128 * 2; blocks > 0; blocks-- { // always an even number of them
		b := (*[64]byte)(s)
		x = ror(x+y+v0+at64(b, 8), 37)*k1 ^ w1
		y = ror(y+v1+at64(b, 48), 42)*k1 + v0 + at64(b, 40)
		z = ror(z+w0, 33) * k1
		v0, v1 = weak(at64(b, 0), at64(b, 8), at64(b, 16), at64(b, 24), v1*k1, x+w0)
		w0, w1 = weak(at64(b, 32), at64(b, 40), at64(b, 48), at64(b, 56), z+w1, y+at64(b, 16))
		z, x = x, z
		s = s[64:]
	}
	x += ror(v0+z, 49) * k0
	y = y*k0 + ror(w1, 37)
	z = z*k0 + ror(w0, 27)
	w0 *= 9
	v0 *= k0
	for done := 0; done < len(s); { // the rest, in blocks of 32 from the end
		done += 32
		b := t[len(t)-done:]
		y = ror(x+y, 42)*k0 + v1
		w0 += u64(b[16:])
		x = x*k0 + w0
		z += w1 + u64(b)
		w1 += v0
		v0, v1 = weak(u64(b), u64(b[8:]), u64(b[16:]), u64(b[24:]), v0+z, v1)
		v0 *= k0
	}
	x = mix16(x, v0, mul16)
	y = mix16(y+z, w0, mul16)
	return mix16(x+v1, w1, mul16) + y, mix16(x+w1, y+v1, mul16)
}

// cityMurmur hashes less than 128 bytes, after Murmur.
func cityMurmur(s []byte, a, b uint64) (lo, hi uint64) {
	var c, d uint64
	if len(s) <= 16 {
		a = shiftMix(a*k1) * k1
		c = b*k1 + city0to16(s)
		d = c
		if len(s) >= 8 {
			d = u64(s)
		}
		d = shiftMix(a + d)
	} else {
		end := s[len(s)-16:]
		c = mix16(u64(end[8:])+k1, a, mul16)
		d = mix16(b+uint64(len(s)), c+u64(end), mul16)
		a += d
		for left := len(s) - 16; left > 0; left -= 16 {
			a = (a ^ shiftMix(u64(s)*k1)*k1) * k1
			b ^= a
			c = (c ^ shiftMix(u64(s[8:])*k1)*k1) * k1
			d ^= c
			s = s[16:]
		}
	}
	a, b = mix16(a, c, mul16), mix16(d, b, mul16)
	return a ^ b, mix16(b, a, mul16)
}
