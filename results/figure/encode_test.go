package figure

import (
	"path/filepath"
	"strings"
	"testing"

	"dpukv/results/resultstest"
	"dpukv/results/runfolder/runfoldertest"
)

func TestFormats(t *testing.T) {
	names, err := ParseFormats("pdf, svg")
	if err != nil {
		t.Fatal(err)
	}
	run := runfoldertest.Create(t, resultstest.OpenLoopPoints())
	d := drawn(t, run, Options{Metrics: metrics(t, "p99"), Formats: names})
	var files []string
	for _, path := range d.Paths {
		files = append(files, filepath.Base(path))
	}
	if found := strings.Join(files, " "); found != "mica-get95-p99.svg mica-get95-p99.pdf" {
		t.Errorf("wrote %s", found)
	}
	_, err = ParseFormats("svg,gif")
	if err == nil || err.Error() != `found "gif", allowed: one or more of svg, png, pdf, csv, separated by commas` {
		t.Errorf("gif: found %v", err)
	}
}
