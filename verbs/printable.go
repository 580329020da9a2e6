package verbs

import (
	"strings"
	"unicode"
)

// printableRunes is the length of the longest text that [Printable] returns.
const printableRunes = 1000

// Printable makes a peer's text safe for a terminal: it removes control characters and limits the
// length.
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
