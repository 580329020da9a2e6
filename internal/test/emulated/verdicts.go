package main

import (
	"bytes"
	"io"
	"sync/atomic"
)

// failLine is what a line begins with that tells of a failed test. The go command's
// -test.v=test2json puts marker in front.
const (
	failLine = "--- FAIL: "
	marker   = "\x16"
)

// verdicts passes the output of a test binary on, and notes whether a test failed.
type verdicts struct {
	to     io.Writer
	line   []byte // the first bytes of the line that is under way
	failed atomic.Bool
}

// Write passes b on.
func (v *verdicts) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		room := len(marker) + len(failLine) - len(v.line)
		v.line = append(v.line, text[:min(len(text), room)]...)
		begin := bytes.TrimPrefix(v.line, []byte(marker))
		if bytes.HasPrefix(begin, []byte(failLine)) {
			v.failed.Store(true)
		}
		if ended {
			v.line = v.line[:0]
		}
		rest = after
	}
	return v.to.Write(b)
}
