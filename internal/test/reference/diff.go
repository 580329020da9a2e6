package reference

import (
	"slices"
	"strings"
)

// Diff lists the lines that are only in the page that was found (-), or only in the one that is
// wanted (+), in their order; "" if the pages are equal.
func Diff(found, want string) string {
	a, b := strings.Split(found, "\n"), strings.Split(want, "\n")
	var lines []string
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(a) > 0 && len(b) > 0 && a[0] == b[0]:
			a, b = a[1:], b[1:]
		case len(a) > 0 && !slices.Contains(b, a[0]):
			lines, a = append(lines, "-"+a[0]), a[1:]
		case len(b) > 0 && (len(a) == 0 || !slices.Contains(a, b[0])):
			lines, b = append(lines, "+"+b[0]), b[1:]
		case len(a) > 0: // both are in both, in another order
			lines, a = append(lines, "-"+a[0]), a[1:]
		}
	}
	return strings.Join(lines, "\n")
}
