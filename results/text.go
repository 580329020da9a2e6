package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// digits3 writes x with three significant digits, without an exponent.
func digits3(x float64) string { return strconv.FormatFloat(x, 'f', decimals3(x), 64) }

// decimals3 is how many decimals give x three significant digits, up to six.
func decimals3(x float64) int {
	if x == 0 {
		return 0
	}
	return min(max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 6)
}

// micros writes nanoseconds as microseconds, mega operations as millions of them.
func micros(ns float64) string { return digits3(ns / 1e3) }
func mega(ops float64) string  { return digits3(ops / 1e6) }

// ratio writes a share of a whole in per cent, "–" if there is no whole.
func ratio(part, whole uint64) string {
	if whole == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 2, 64)
}

// count says how many there are of a thing: "1 key", "1 048 576 keys".
func count[N int | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return grouped(n) + " " + thing + "s"
}

// grouped writes a number with spaces between its thousands.
func grouped[N int | uint64](n N) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}

// padLeft and padRight fill s with spaces to a width in characters.
func padLeft(s string, width int) string  { return spaces(s, width) + s }
func padRight(s string, width int) string { return s + spaces(s, width) }

func spaces(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
