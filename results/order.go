package results

import (
	"cmp"
	"slices"
	"strings"
)

// InOrder compares words by their place in a list. Others follow by their letters.
func InOrder(list []string) func(a, b string) int {
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(list, a), rank(list, b)), strings.Compare(a, b))
	}
}

// rank is the place of a word in a list, or the one behind its end.
func rank(list []string, word string) int {
	if i := slices.Index(list, word); i >= 0 {
		return i
	}
	return len(list)
}
