package table

import (
	"strings"
	"unicode/utf8"

	"dpukv/internal/numfmt"
)

// micros writes nanoseconds as microseconds.
func micros(ns float64) string { return numfmt.Digits3(ns / 1e3) }

// atLeast marks a value that is only a lower bound.
func atLeast(value string, bound bool) string {
	if bound {
		return "≥" + value
	}
	return value
}

// mega writes operations as millions of them.
func mega(ops float64) string { return numfmt.Digits3(ops / 1e6) }

// padLeft fills s on its left with spaces to a width in characters.
func padLeft(s string, width int) string { return spaces(s, width) + s }

// padRight fills s on its right with spaces to a width in characters.
func padRight(s string, width int) string { return s + spaces(s, width) }

func spaces(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
