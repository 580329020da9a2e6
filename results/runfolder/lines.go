package runfolder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"dpukv/internal/infile"
)

// BadLine is a line of a JSON lines file that can't be used, or a file that is not whole.
type BadLine struct {
	File   string // below the run folder
	Line   int    // counts from 1; 0: the reason is about the file
	Reason string
	Kept   bool // the readers use the line; else they leave it out
	Edited bool // its digest does not follow from the lines up to it
}

// Said is the bad line as a message.
func (b BadLine) Said() string {
	if b.Kept {
		return b.String()
	}
	return "left out " + b.String()
}

func (b BadLine) String() string {
	if b.Line == 0 {
		return fmt.Sprintf("%s: %s", b.File, b.Reason)
	}
	return fmt.Sprintf("%s, line %d: %s", b.File, b.Line, b.Reason)
}

// The limits of a JSON lines file of a run. A point takes some thousand bytes.
const (
	maxLineBytes = 4 << 20
	maxLines     = 1_000_000
	maxBadLines  = 1000 // named one by one
)

// readLines hands each non-empty line to use, and reports the lines that use refuses. A file that
// doesn't exist has no lines. A last line without a newline comes from a writer that is at work or
// has crashed: readLines uses it if it happens to be whole.
func readLines(path string, use func(line []byte) error) ([]BadLine, error) {
	f, err := infile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	bad := badLines{file: filepath.Base(path)}
	// Reading takes the memory of one line, whatever the file's size.
	for r, n := bufio.NewReaderSize(f, 1<<20), 1; ; n++ {
		if n > maxLines {
			return bad.list, fmt.Errorf("%s: found more lines, allowed: at most %d", path,
				maxLines)
		}
		line, long, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return bad.list, fmt.Errorf("read %s: %w", path, err)
		}
		switch {
		case long:
			bad.add(n, fmt.Sprintf("found more bytes, allowed: at most %d", maxLineBytes))
		default:
			bad.add(n, refusal(line, use))
		}
		if err != nil {
			return bad.all(), nil
		}
	}
}

// readLine reads up to the next newline, which is part of the line. It keeps nothing of a line
// that is too long.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLineBytes; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// badLines are the bad lines of one file.
type badLines struct {
	file string
	list []BadLine
	more int // not in list
}

// add keeps the reason why a line can't be used; "": it can.
func (b *badLines) add(line int, reason string) {
	if reason != "" {
		b.append(BadLine{File: b.file, Line: line, Reason: reason})
	}
}

// addKept keeps what is to be said of a line that is used.
func (b *badLines) addKept(reason string) {
	b.append(BadLine{File: b.file, Kept: true, Reason: reason})
}

func (b *badLines) append(line BadLine) {
	if len(b.list) == maxBadLines {
		b.more++
		return
	}
	b.list = append(b.list, line)
}

func (b *badLines) all() []BadLine {
	if b.more > 0 {
		more := BadLine{File: b.file, Reason: fmt.Sprintf("and %d more lines", b.more)}
		return append(b.list, more)
	}
	return b.list
}

// refusal is the reason why use refuses a line. It is "" if use takes the line or the line is
// empty.
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
