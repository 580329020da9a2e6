package verbs

import (
	"strings"
	"unicode"
)

// printableRunes is the longest text that [Printable] gives.
const printableRunes = 1000

// Printable is what a terminal may be shown of a text that a peer sent: without control characters,
// and not without an end.
func Printable(text string) string {
	n := 0
	for at := range text {
		if n++; n > printableRunes {
			text = text[:at] + "…"
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\ufffd'
		}
		return r
	}, text)
}
