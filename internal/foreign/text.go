package foreign

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Line shows a text within one line: it writes every control character as an escape, also newlines
// and tabs, and every byte that is no UTF-8. It is for a text within another one, such as a cell of
// a table, a label of a figure or a name in a list.
func Line(text string) string { return escaped(text, "") }

// escaped is Line, but the characters of pass stand for themselves.
func escaped(text, pass string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, rest[0])
		case breaksLine(r) && !strings.ContainsRune(pass, r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return b.String()
}

// breaksLine reports whether Line escapes a character. XML has no place for the last two.
func breaksLine(r rune) bool { return r == '\t' || isControl(r) || r == 0xfffe || r == 0xffff }

// isPlain reports whether a text is printable ASCII alone, as nearly all are.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}
