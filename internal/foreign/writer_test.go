package foreign

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"dpukv/internal/test/must"
)

func shown(text string, most int) string {
	var b bytes.Buffer
	w := NewWriter(&b, most)
	_, _ = w.Write([]byte(text))
	return b.String()
}

func TestControlCharactersAreShown(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ä µ – 日本\tand\nnext":  "plain, ä µ – 日本\tand\nnext",
		"\x1b[2J\x1b]0;title\x07":     `\u001b[2J\u001b]0;title\u0007`,
		"over\rwritten\x08\x7f":       `over\u000dwritten\u0008\u007f`,
		"C1 \u009b31m, bytes \x9b31m": `C1 \u009b31m, bytes \x9b31m`,
		"reversed \u202e and \u2066":  `reversed \u202e and \u2066`,
		"\x00":                        `\u0000`,
		"replaced \ufffd stays":       "replaced \ufffd stays",
	} {
		if got := shown(text, 0); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		// Single bytes give the same result.
		var b bytes.Buffer
		w := NewWriter(&b, 0)
		r := iotest.OneByteReader(strings.NewReader(text))
		for one := make([]byte, 1); ; {
			if n, err := r.Read(one); n == 0 || err != nil {
				break
			}
			if n, err := w.Write(one); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		if b.String() != want {
			t.Errorf("%q a byte at a time: got %q, want %q", text, b.String(), want)
		}
	}
}

func TestJSONStaysJSON(t *testing.T) {
	want := "\x1b\x7f\u009b\u202e\x00 and \xff"
	text := must.Get(json.Marshal(want))(t)
	var got string
	err := json.Unmarshal([]byte(shown(string(text), 0)), &got)
	if err != nil || got != strings.ToValidUTF8(want, "\ufffd") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	got := shown(strings.Repeat("x", 1000)+"\nshort\n", 10)
	if want := "xxxxxxxxxx… (990 bytes more)\nshort\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(shown(strings.Repeat("\x1b", 1<<20), 4096)); n > 4096+6 {
		t.Errorf("a line of escapes became %d bytes", n)
	}
}

func TestRaw(t *testing.T) {
	var b bytes.Buffer
	if Raw(NewWriter(&b, 0)) != &b || Raw(&b) != &b {
		t.Error("found another writer")
	}
}
