package quality

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"dpukv/hashbench"
)

// Keys is a way to generate keys.
type Keys string

// Sequential keys are the numbers from 0, little-endian; Random ones are random bytes.
const (
	Sequential Keys = "sequential"
	Random     Keys = "random"
)

// fill writes the i-th key.
func (k Keys) fill(key []byte, i uint64, rng *rand.Rand) {
	clear(key)
	binary.LittleEndian.PutUint64(key, i)
	if k == Random {
		for at := 0; at < len(key); at += 8 {
			binary.LittleEndian.PutUint64(key[at:], rng.Uint64())
		}
	}
}

// Bias is the departure of pairs of a key bit and a hash bit from changing together half of the
// time. 0 is perfect; 1 is a pair that always or never changes together.
type Bias struct {
	Worst float64 `json:"worst"`
	Mean  float64 `json:"mean"`
	// Chance is about the worst departure that a random function shows with so many keys.
	Chance float64 `json:"chance"`
}

const hashBits = 64

// Avalanche flips each bit of each of n keys. n is at least 1; keyBytes is a multiple of 8.
func Avalanche(f hashbench.Func, keys Keys, keyBytes, n int, seed uint64) Bias {
	rng := rand.New(rand.NewPCG(seed, 1))
	key := make([]byte, keyBytes)
	flips := make([][hashBits]int, keyBytes*8)
	for i := range n {
		keys.fill(key, uint64(i), rng)
		h := f.Sum64(key)
		for bit := range flips {
			key[bit/8] ^= 1 << (bit % 8)
			changed := h ^ f.Sum64(key)
			key[bit/8] ^= 1 << (bit % 8)
			for out := range hashBits {
				flips[bit][out] += int(changed >> out & 1)
			}
		}
	}
	return biasOf(flips, n)
}

func biasOf(flips [][hashBits]int, n int) Bias {
	b := Bias{}
	for _, row := range flips {
		for _, changed := range row {
			departure := math.Abs(2*float64(changed)/float64(n) - 1)
			b.Worst = max(b.Worst, departure)
			b.Mean += departure / float64(len(flips)*hashBits)
		}
	}
	// This is the greatest of m normal departures with a deviation of 1/√n.
	pairs := float64(len(flips) * hashBits)
	b.Chance = math.Sqrt(2*math.Log(2*pairs)) / math.Sqrt(float64(n))
	return b
}
