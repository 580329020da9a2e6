package spelling

import (
	"cmp"
	"slices"
)

// Nearest is the known word with the least difference from word. It is empty if the difference is
// more than a slip.
func Nearest(word string, known []string) string {
	const slip = 3
	if len(word) > 40 || len(known) == 0 {
		return ""
	}
	best := slices.MinFunc(known, func(a, b string) int {
		return cmp.Compare(distance(word, a), distance(word, b))
	})
	if distance(word, best) >= min(slip, len(best)) {
		return ""
	}
	return best
}

// distance is the number of letters to insert, remove or replace to turn b into a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
