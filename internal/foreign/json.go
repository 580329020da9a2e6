package foreign

import (
	"fmt"
	"io"
	"strconv"
)

// NewJSON returns a writer that passes JSON on to w. In its strings, who decodes them also finds
// control characters as escapes, except newlines and tabs: a page cannot show them, or they would
// change its reading direction.
func NewJSON(w io.Writer) io.Writer { return NewWriter(&escapes{w: w}, 0) }

// escapes takes JSON whose control characters are escapes, and escapes these escapes.
type escapes struct {
	w      io.Writer
	escape []byte // the begin of one
}

// Write implements [io.Writer].
func (j *escapes) Write(b []byte) (int, error) {
	shown := make([]byte, 0, len(b)+16)
	for _, c := range b {
		switch {
		case len(j.escape) > 0:
			if j.escape = append(j.escape, c); j.escapeEnds() {
				shown, j.escape = append(shown, shownEscape(j.escape)...), j.escape[:0]
			}
		case c == '\\':
			j.escape = append(j.escape, c)
		default:
			shown = append(shown, c)
		}
	}
	if _, err := j.w.Write(shown); err != nil {
		return 0, err
	}
	return len(b), nil
}

// escapeEnds reports whether an escape is complete: a backslash and a letter, or \u0000.
func (j *escapes) escapeEnds() bool {
	return len(j.escape) == 2 && j.escape[1] != 'u' || len(j.escape) == len(`\u0000`)
}

// shownEscape is an escape, or what shows the character that it stands for.
func shownEscape(escape []byte) string {
	r := rune('\n') // it passes
	switch escape[1] {
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'r':
		r = '\r'
	case 'x': // a byte that is no UTF-8, which Writer shows so
		return `\\x`
	case 'u':
		code, err := strconv.ParseUint(string(escape[2:]), 16, 16)
		if err == nil {
			r = rune(code)
		}
	}
	if r == '\n' || !isControl(r) {
		return string(escape)
	}
	return fmt.Sprintf(`\\u%04x`, r)
}
