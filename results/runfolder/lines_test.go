package runfolder

import (
	"bytes"
	"strings"
	"testing"

	"dpukv/results/resultstest"
)

func TestLinesAreBounded(t *testing.T) {
	w := newRun(t)
	mustAppend(t, w, resultstest.LocalPoint(resultstest.WithID("a")))
	edit(t, w.Run, pointsFile, func(b []byte) []byte {
		b = append(b, bytes.Repeat([]byte("x"), maxLineBytes+1)...)
		b = append(b, '\n')
		return append(b, strings.Repeat("no point\n", maxBadLines+5)...)
	})
	_, bad := pointIDs(t, w.Run)
	if len(bad) != maxBadLines+1 {
		t.Fatalf("%d bad lines, want %d", len(bad), maxBadLines+1)
	}
	if want := "points.jsonl, line 2: found more bytes in the line, allowed: at most 1048576 bytes"; bad[0].String() != want {
		t.Errorf("got %s, want %s", bad[0], want)
	}
	if want := "points.jsonl: and 6 more lines"; bad[maxBadLines].String() != want {
		t.Errorf("got %s, want %s", bad[maxBadLines], want)
	}
}
