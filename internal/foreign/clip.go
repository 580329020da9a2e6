package foreign

import (
	"fmt"
	"unicode/utf8"
)

// MaxReason is the number of bytes kept of a reason: room for a message and a stack trace's head.
const MaxReason = 2 << 10

// Clip returns the first bytes of a text that is longer than most, and adds the text's length.
func Clip[T string | []byte](text T, most int) string {
	if len(text) <= most {
		return string(text)
	}
	end := most
	for end > 0 && most-end < utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes in all)", text[:end], len(text))
}

// Ends returns the first and the last bytes of a text that is longer than most. It says how many
// bytes are left out between them. A program's output names the cause at its beginning or its end.
func Ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	head, tail := most/2, len(text)-most/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s … (%d bytes left out) … %s", text[:head], tail-head, text[tail:])
}

// Reason is Clip for a reason from a peer.
func Reason[T string | []byte](text T) string { return Clip(text, MaxReason) }
