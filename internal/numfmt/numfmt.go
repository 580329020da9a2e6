package numfmt

import (
	"fmt"
	"math"
	"strconv"
)

// Digits3 writes x with three significant digits, without an exponent.
func Digits3(x float64) string { return strconv.FormatFloat(x, 'f', Decimals3(x), 64) }

// Decimals3 is how many decimals give x three significant digits, up to six.
func Decimals3(x float64) int {
	if x == 0 {
		return 0
	}
	return min(max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 6)
}

// Count writes a number with its noun: "1 key", "1 048 576 keys".
func Count[N int | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Grouped(n) + " " + thing + "s"
}

// Grouped writes a number with spaces between its thousands.
func Grouped[N int | uint64](n N) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}
