package spelling

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest is the known word with the least difference from word. It is empty if the difference is
// more than a slip. Upper and lower case are alike. Words of three letters are no hints: one letter
// apart, they are other words.
func Nearest(word string, known []string) string {
	const slip, shortest = 3, 4
	if len(word) > 40 || len(known) == 0 {
		return ""
	}
	word = strings.ToLower(word)
	from := func(other string) int { return distance(word, strings.ToLower(other)) }
	best := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(from(a), from(b)) })
	if d := from(best); len(best) < shortest || d >= slip || 2*d >= len(best) {
		return ""
	}
	return best
}

// Hint is " (did you mean WORD?)" with the nearest known word. It is empty without such a word.
func Hint(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return " (did you mean " + near + "?)"
	}
	return ""
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
