package figure

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

func TestFormats(t *testing.T) {
	names := must.Get(ParseFormats("pdf, svg"))(t)
	run := runfoldertest.Create(t, resultstest.OpenLoopPoints())
	d := drawn(t, run, Options{Metrics: metrics(t, "p99"), Formats: names})
	var files []string
	for _, path := range d.Paths {
		files = append(files, filepath.Base(path))
	}
	if found := strings.Join(files, " "); found != "mica-get95-p99.svg mica-get95-p99.pdf" {
		t.Errorf("wrote %s", found)
	}
	_, err := ParseFormats("svg,gif")
	if err == nil || err.Error() != `found "gif", allowed: one or more of svg, png, pdf, csv, separated by commas` {
		t.Errorf("gif: found %v", err)
	}
}

// A document has the fonts, no picture in pixels, and the same bytes at any time.
func TestPDF(t *testing.T) {
	f := studyFigure(t, &figure8, studyPoints(), Options{})
	first, err1 := encodeAs("pdf")(f)
	again, err2 := encodeAs("pdf")(f)
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
