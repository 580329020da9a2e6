package figure

import (
	"bytes"
	"testing"
)

// A document has the fonts, no picture in pixels, and the same bytes at any time.
func TestPDF(t *testing.T) {
	f := studyFigure(t, &figure8, studyPoints(), Options{})
	first, err1 := f.pdf()
	again, err2 := f.pdf()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if !bytes.Equal(first, again) {
		t.Error("two documents of the same points differ")
	}
	if !bytes.HasPrefix(first, []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(first), []byte("%%EOF")) {
		t.Error("this is not a whole document")
	}
	if n := bytes.Count(first, []byte("/FontFile2")); n != 2 { // regular and bold
		t.Errorf("%d fonts are embedded", n)
	}
	if bytes.Contains(first, []byte("/Subtype /Image")) {
		t.Error("there is a picture in it")
	}
	if !bytes.Contains(first, []byte("(D:20000101000000)")) {
		t.Error("the date is not fixed")
	}
}

func TestPDFText(t *testing.T) {
	for text, want := range map[string]string{
		"p99 ≤ 20 µs": "p99 <= 20 \xb5s", "a · b × c": "a \xb7 b \xd7 c", "τ": "?", "plain": "plain",
	} {
		if found := pdfText(text); found != want {
			t.Errorf("%q: found %q, want %q", text, found, want)
		}
	}
}
