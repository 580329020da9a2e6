package numfmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Digits3 writes x with three significant digits, without an exponent.
func Digits3(x float64) string { return strconv.FormatFloat(x, 'f', Decimals3(x), 64) }

// Decimals3 is how many decimals give x three significant digits, up to six. What rounds to a power
// of ten counts as that: 9.996 has one decimal.
func Decimals3(x float64) int {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	power := math.Floor(math.Log10(math.Abs(x)))
	if math.Round(math.Abs(x)/math.Pow(10, power-2)) >= 1000 {
		power++
	}
	return min(max(0, 2-int(power)), 6)
}

// Short is [Digits3] without zeros at its end: "13", "0.25", a setting or what somebody else wrote.
func Short(x float64) string {
	text := Digits3(x)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Plain writes x with all its digits, without an exponent.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Whole writes x as a whole number.
func Whole(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// Around writes how far values are from their median: "±2.50", half of their range. Values that
// stray by more than the median have the range itself: "(87.0 to 1337)".
func Around(median, least, most float64) string {
	half := (most - least) / 2
	if half > math.Abs(median) {
		return Range(least, most)
	}
	return "±" + WithDigitsOf(half, median)
}

// Range writes the range of values that stands for a spread.
func Range(least, most float64) string {
	return "(" + Digits3(least) + " to " + Digits3(most) + ")"
}

// WithDigitsOf writes x with the decimals that give another number three significant digits.
func WithDigitsOf(x, other float64) string {
	return strconv.FormatFloat(x, 'f', Decimals3(other), 64)
}

// Change says of a share by how much something changed: "fell by 26.0 %".
func Change(share float64) string {
	did := "rose"
	if share < 0 {
		did = "fell"
	}
	return did + " by " + Digits3(100*math.Abs(share)) + " %"
}

// PercentOf writes a part of a whole in per cent, or "–" if the whole is zero.
func PercentOf(part, whole uint64) string {
	if whole == 0 {
		return "–"
	}
	return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 2, 64)
}

// ParseShare reads "0.1%", and "0.001" for the same.
func ParseShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	if err == nil && !(x >= 0 && x <= 1) { // NaN, too
		err = fmt.Errorf("found %q, allowed: 0 to 100%%", text)
	}
	return x, err
}

// Count writes a number with its noun: "1 key", "1 048 576 keys".
func Count[N int | int64 | uint64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Grouped(n) + " " + thing + "s"
}

// Are is the verb behind so many things: "1 point is", "2 points are".
func Are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Grouped writes a number with spaces between its thousands.
func Grouped[N int | int64 | uint64](n N) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + " " + digits[i:]
	}
	return digits
}
