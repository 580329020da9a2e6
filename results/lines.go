package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	defer f.Close()
	var bad []BadLine
	// A file of any size needs the memory of one line.
	for r, n := bufio.NewReaderSize(f, 1<<20), 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return bad, fmt.Errorf("results: read %s: %w", path, err)
		}
		if refused := refusal(line, use); refused != "" {
			bad = append(bad, BadLine{filepath.Base(path), n, refused})
		}
		if err != nil {
			return bad, nil
		}
	}
}

// refusal is why use can't use a line, "" if it can or there is nothing in it.
func refusal(line []byte, use func(line []byte) error) string {
	text := bytes.TrimSuffix(line, []byte("\n"))
	if len(bytes.TrimSpace(text)) == 0 {
		return ""
	}
	err := use(text)
	switch {
	case err == nil:
		return ""
	case len(text) == len(line):
		return "half-written: " + err.Error()
	}
	return err.Error()
}
