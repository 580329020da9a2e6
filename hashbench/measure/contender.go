package measure

import (
	"unsafe"

	"dpukv/hashbench"
	"dpukv/hashbench/report"
	"dpukv/internal/cpu"
)

// Contender is something that hashes and can be timed.
type Contender struct {
	report.Subject
	// Round makes so many calls and returns what they took of the thread's CPU time.
	Round func(in *Input, calls int) (ns int64, err error)
	// Empty does nothing in the same loop, so that its time is the loop's; nil: none is subtracted.
	Empty *Contender
	words int // of the result
}

// sink keeps the compiler from dropping hashes that nobody uses.
var sink uint64

// Of makes a contender of a function of the registry.
func Of(f hashbench.Func) Contender {
	c := contender(f.Native)
	c.Subject = report.Subject{Function: f.Name, Family: f.Family, Bits: f.Bits, Module: f.Module, Variant: string(f.Variant)}
	c.Empty = &empty
	if f.Native.H128 != nil {
		c.Empty = &empty128
	}
	return c
}

// OfAll makes contenders of several.
func OfAll(list []hashbench.Func) []Contender {
	var all []Contender
	for _, f := range list {
		all = append(all, Of(f))
	}
	return all
}

func contender(f hashbench.Native) Contender {
	return Contender{words: 1, Round: func(in *Input, calls int) (int64, error) {
		start := cpu.ThreadNs()
		sink += call(in.Mode, in, f, calls)
		return cpu.ThreadNs() - start, nil
	}}
}

// empty and empty128 give back where the key is, so that in the latency loop the
// place of the next key waits for them as it does for a hash.
var (
	empty    = contender(hashbench.Native{H64: address})
	empty128 = contender(hashbench.Native{H128: addressAndLength})
)

func init() { empty128.words = 2 }

//go:noinline
func address(key []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(key)))) }

//go:noinline
func addressAndLength(key []byte) (lo, hi uint64) { return address2(key), uint64(len(key)) }

// address2 is address, to be inlined.
func address2(key []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(key)))) }

// chain4 and chain16 are chains of dependent multiplications: what is known about them is that four times as
// many take four times as long.
var (
	chain4  = contender(hashbench.Native{H64: multiply4})
	chain16 = contender(hashbench.Native{H64: multiply16})
)

// multiplier is a variable so that the compiler can't multiply beforehand.
var multiplier uint64 = 0x9ddfea08eb382d69

//go:noinline
func multiply4(key []byte) uint64 {
	h, m := address2(key), multiplier
	return h * m * m * m * m
}

//go:noinline
func multiply16(key []byte) uint64 {
	h, m := address2(key), multiplier
	return h * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m * m
}
