package memory

import (
	"math/rand/v2"
	"unsafe"
)

// lineBytes is the distance of two nodes: a cache line of all supported processors.
const lineBytes = 64

// chain links all lines of a block into one cycle of random order (Sattolo's shuffle), and returns
// its first line.
func chain(block []byte, seed uint64) unsafe.Pointer {
	n := len(block) / lineBytes
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for i := n - 1; i > 0; i-- {
		j := rng.IntN(i) // below i: one cycle
		order[i], order[j] = order[j], order[i]
	}
	line := func(i uint32) unsafe.Pointer { return unsafe.Pointer(&block[int(i)*lineBytes]) }
	for i := range order {
		*(*unsafe.Pointer)(line(uint32(i))) = line(order[i])
	}
	return line(0)
}

// stepsUnrolled are the loads of one turn of the loops below.
const stepsUnrolled = 8

// follow makes a number of dependent loads, rounded up to whole turns.
func follow(p unsafe.Pointer, steps int) unsafe.Pointer {
	for ; steps > 0; steps -= stepsUnrolled {
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
		p = *(*unsafe.Pointer)(p)
	}
	return p
}

// follow2 is follow for two chains at once.
func follow2(p, q unsafe.Pointer, steps int) (unsafe.Pointer, unsafe.Pointer) {
	for ; steps > 0; steps -= stepsUnrolled {
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
		p, q = *(*unsafe.Pointer)(p), *(*unsafe.Pointer)(q)
	}
	return p, q
}

// chaser follows one or two chains through a block. Two chains are halves of one cycle: the second
// begins far from the first.
type chaser struct{ first, second unsafe.Pointer }

func newChaser(block []byte, chains int, seed uint64) *chaser {
	c := &chaser{first: chain(block, seed)}
	if chains == 2 {
		c.second = follow(c.first, len(block)/lineBytes/2)
	}
	return c
}

// steps makes a number of steps.
func (c *chaser) steps(n int) {
	if c.second == nil {
		c.first = follow(c.first, n)
		return
	}
	c.first, c.second = follow2(c.first, c.second, n)
}
