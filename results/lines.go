package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// BadLine is a line of a JSON lines file that can't be used.
type BadLine struct {
	File   string // base name
	Line   int    // counts from 1
	Reason string
}

func (b BadLine) String() string { return fmt.Sprintf("%s, line %d: %s", b.File, b.Line, b.Reason) }

// readLines hands each line that is not empty to use, and reports those that use
// refuses. A file that doesn't exist has no lines. A last line without a newline is
// a writer that is at work or has crashed: it is used if it happens to be whole.
func readLines(path string, use func(line []byte) error) ([]BadLine, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var bad []BadLine
	for n := 1; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := use(line); err != nil {
			reason := err.Error()
			if !ended {
				reason = "half-written: " + reason
			}
			bad = append(bad, BadLine{filepath.Base(path), n, reason})
		}
	}
	return bad, nil
}
