package load

import (
	"math/bits"
	"math/rand/v2"
)

// aliasCell is a cell of Walker's alias table, which draws from any distribution in constant time.
// All cells are equally likely, and at most two outcomes share a cell.
type aliasCell struct {
	own   uint64 // share, of 2⁶⁴, of the outcome with the cell's number
	other uint32 // the outcome that has the rest
}

// newAlias makes the table of outcomes with these weights (M. Vose, 1991). An outcome that fills
// less than a cell leaves room; an outcome with too much fills that room.
func newAlias(weights []float64) []aliasCell {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	cells, worth := make([]aliasCell, len(weights)), make([]float64, len(weights))
	var under, over []uint32
	for i, w := range weights {
		worth[i] = w / sum * float64(len(weights))
		cells[i] = aliasCell{own: 1<<64 - 1, other: uint32(i)} // unless it is given away below
		if worth[i] < 1 {
			under = append(under, uint32(i))
		} else {
			over = append(over, uint32(i))
		}
	}
	for len(under) > 0 && len(over) > 0 {
		small, large := under[len(under)-1], over[len(over)-1]
		under = under[:len(under)-1]
		cells[small] = aliasCell{own: share64(worth[small]), other: large}
		worth[large] -= 1 - worth[small]
		if worth[large] < 1 {
			over, under = over[:len(over)-1], append(under, large)
		}
	}
	return cells
}

func drawAlias(cells []aliasCell, rng *rand.PCG) uint32 { return pickAlias(cells, rng.Uint64()) }

// pickAlias returns the outcome of a random word.
func pickAlias(cells []aliasCell, word uint64) uint32 {
	high, fraction := bits.Mul64(word, uint64(len(cells)))
	cell, outcome := &cells[high], uint32(high)
	if fraction > cell.own {
		outcome = cell.other
	}
	return outcome
}
