package figstyle

import "testing"

func TestPDFText(t *testing.T) {
	for text, want := range map[string]string{
		"p99 ≤ 20 µs": "p99 <= 20 \xb5s", "a · b × c": "a \xb7 b \xd7 c", "τ": "?", "plain": "plain",
	} {
		if found := pdfText(text); found != want {
			t.Errorf("%q: found %q, want %q", text, found, want)
		}
	}
}
