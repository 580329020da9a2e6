package hashbench

// Widen spreads a 32-bit hash over 64 bits. It is SplitMix64, a bijection of 64-bit words:
// different hashes stay different, and 0 does not map to 0.
func Widen(h uint32) uint64 { return splitMix(uint64(h)) }

func splitMix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// of32, of64 and of128 make a registry row for a function of that width.
func of32(name, family, module string, v Variant, h func([]byte) uint32) Func {
	return Func{
		Name: name, Family: family, Bits: 32, Module: module, Variant: v, Native: Native{H32: h},
		Sum64: func(key []byte) uint64 { return Widen(h(key)) },
	}
}

func of64(name, family, module string, v Variant, h func([]byte) uint64) Func {
	return Func{
		Name: name, Family: family, Bits: 64, Module: module, Variant: v,
		Native: Native{H64: h}, Sum64: h,
	}
}

func of128(name, family, module string, v Variant, h func([]byte) (lo, hi uint64)) Func {
	return Func{
		Name: name, Family: family, Bits: 128, Module: module, Variant: v, Native: Native{H128: h},
		Sum64: func(key []byte) uint64 {
			lo, _ := h(key)
			return lo
		},
	}
}
