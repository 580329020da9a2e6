package verbs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"mlx5_0 ü": "mlx5_0 ü", "a\x1b]0;evil\x07\nb": "a\ufffd]0;evil\ufffd\ufffdb", "\xff": "\ufffd", "": "",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if n := utf8.RuneCountInString(Printable(strings.Repeat("ü", 1<<20))); n != printableRunes+1 {
		t.Errorf("%d runes of a long text", n)
	}
}

// TestEndpointIsPrintable checks an endpoint whose device name a peer has chosen.
func TestEndpointIsPrintable(t *testing.T) {
	peer := Endpoint{Device: DeviceInfo{Name: "a\x1b[2J", Provider: "b\x07"}, LinkLayer: "c\r"}
	err := Check(Endpoint{LinkLayer: LinkMemory}, peer)
	if text := err.Error(); strings.ContainsAny(text, "\x1b\x07\r") {
		t.Errorf("%q", text)
	}
}
