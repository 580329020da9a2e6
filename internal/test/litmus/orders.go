package litmus

import "slices"

// Orders are all orders of n pieces.
func Orders(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, rest := range Orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(rest), at, n-1))
		}
	}
	return all
}
