package cpu

import "slices"

// Groups parts n users of CPUs into groups. Two that share a CPU are in one group, and so are all
// that share one with either. A group has its users in order.
func Groups(n int, share func(i, j int) bool) (groups [][]int) {
	for i := range n {
		joined := []int{i}
		groups = slices.DeleteFunc(groups, func(g []int) bool {
			shares := slices.ContainsFunc(g, func(j int) bool { return share(i, j) })
			if shares {
				joined = append(joined, g...)
			}
			return shares
		})
		slices.Sort(joined)
		groups = append(groups, joined)
	}
	slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	return groups
}
