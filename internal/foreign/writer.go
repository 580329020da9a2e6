package foreign

import (
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Writer shows control characters as escapes. Newlines and tabs pass. All goroutines may share it.
type Writer struct {
	mu      sync.Mutex
	w       io.Writer
	most    int // bytes of a line; 0: any
	line    int // bytes of it so far
	dropped int
	partial []byte // the start of an incomplete character
}

// NewWriter returns a writer to w that shows at most so many bytes of each line; 0 means all of
// them.
func NewWriter(w io.Writer, most int) *Writer { return &Writer{w: w, most: most} }

// Raw returns the writer below a Writer, and any other writer unchanged. It is for the program's
// own control sequences, and for formats that are no text.
func Raw(w io.Writer) io.Writer {
	if f, ok := w.(*Writer); ok {
		return f.w
	}
	return w
}

// piece bounds the memory for what is shown of a long text.
const piece = 64 << 10

// Write implements [io.Writer]. The returned length counts the input's bytes.
func (f *Writer) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	written := 0
	for ; len(b)-written > piece; written += piece {
		if err := f.write(b[written : written+piece]); err != nil {
			return written, err
		}
	}
	if err := f.write(b[written:]); err != nil {
		return written, err
	}
	return len(b), nil
}

func (f *Writer) write(b []byte) error {
	text := append(f.partial, b...)
	f.partial = nil
	shown := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(text) {
			f.partial = append([]byte(nil), text...)
			break
		}
		shown = f.add(shown, r, text[:n])
		text = text[n:]
	}
	_, err := f.w.Write(shown)
	return err
}

// add appends the shown form of one character.
func (f *Writer) add(shown []byte, r rune, raw []byte) []byte {
	if r == '\n' {
		if f.dropped > 0 {
			shown = fmt.Appendf(shown, "… (%d bytes more)", f.dropped)
		}
		f.line, f.dropped = 0, 0
		return append(shown, '\n')
	}
	if f.most > 0 && f.line >= f.most {
		f.dropped += len(raw)
		return shown
	}
	before := len(shown)
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		shown = fmt.Appendf(shown, `\x%02x`, raw[0])
	case isControl(r):
		shown = fmt.Appendf(shown, `\u%04x`, r)
	default:
		shown = append(shown, raw...)
	}
	f.line += len(shown) - before
	return shown
}

// isControl reports whether a terminal treats a character as a command, or as a change of the
// reading direction.
func isControl(r rune) bool {
	switch {
	case r < ' ':
		return r != '\t'
	case r < 0x7f:
		return false
	case r == '\u2028' || r == '\u2029': // they end lines
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
