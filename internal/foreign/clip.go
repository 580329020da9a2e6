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

// Reason is Clip for a reason from a peer.
func Reason[T string | []byte](text T) string { return Clip(text, MaxReason) }
