package reference

import (
	"strings"
	"testing"
)

func TestParagraphHasShortLines(t *testing.T) {
	p := new(page)
	p.paragraph(strings.Repeat("word ", 100))
	for line := range strings.Lines(p.String()) {
		if n := len(strings.TrimSuffix(line, "\n")); n > Columns {
			t.Errorf("found a line of %d columns, allowed %d", n, Columns)
		}
	}
	if got := len(strings.Fields(p.String())); got != 100 {
		t.Errorf("found %d words, want 100", got)
	}
}

func TestTextStaysAsItIs(t *testing.T) {
	for text, want := range map[string]string{
		"a|b": `a\|b`, "0 <= T": "0 &lt;= T", "[user@]host": `\[user@]host`, "a\nb": "a b",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) is %q, want %q", text, got, want)
		}
	}
	if got := inline("a|b"); got != "`a\\|b`" {
		t.Errorf("inline: found %q", got)
	}
}
