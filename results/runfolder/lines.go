package runfolder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"dpukv/internal/foreign"
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
		return foreign.Line(fmt.Sprintf("%s: %s", b.File, b.Reason))
	}
	return foreign.Line(fmt.Sprintf("%s, line %d: %s", b.File, b.Line, b.Reason))
}

// The limits of a JSON lines file of a run. A point takes some thousand bytes, and as many in
// memory.
const (
	maxPointsBytes = 1 << 30
	maxOtherBytes  = 64 << 20 // of the files beside points.jsonl
	maxLineBytes   = 1 << 20
	maxLineValues  = 50_000 // of JSON: a point has some hundreds, and some for each client
	maxLines       = 1_000_000
	maxBadLines    = 1000 // named one by one
)

// mostBytes is the limit of a JSON lines file.
func mostBytes(path string) int64 {
	if filepath.Base(path) == pointsFile {
		return maxPointsBytes
	}
	return maxOtherBytes
}

// checkSize refuses a file that is too long before anybody reads it.
func checkSize(f *os.File) error {
	info, err := f.Stat()
	if most := mostBytes(f.Name()); err == nil && info.Size() > most {
		return fmt.Errorf("%s: found %d bytes, allowed: at most %d", f.Name(), info.Size(), most)
	}
	return err
}

func tooManyLines(path string) error {
	return fmt.Errorf("%s: found more lines, allowed: at most %d", path, maxLines)
}

// readLines hands each non-empty line to use, and reports the lines that use refuses. A file that
// doesn't exist has no lines. A last line without a newline comes from a writer that is at work or
// has crashed: readLines uses it if it happens to be whole.
func (r *Run) readLines(file string, use func(line []byte) error) ([]BadLine, error) {
	f, err := r.in.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkSize(f); err != nil {
		return nil, err
	}
	path, bad := r.in.Path(file), badLines{file: file}
	// Reading takes the memory of one line, whatever the file's size.
	whole := foreign.NewLimit(f, "the file", mostBytes(file))
	for in, n := bufio.NewReaderSize(whole, 64<<10), 1; ; n++ {
		if n > maxLines {
			return bad.list, tooManyLines(path)
		}
		line, err := foreign.ReadLine(in, "the line", maxLineBytes)
		if long := err; foreign.Over(err) {
			if err = skipLine(in); !foreign.Over(err) {
				bad.add(n, long.Error())
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return bad.list, fmt.Errorf("read %s: %w", path, err)
		}
		if refused := refusal(line, use); errors.Is(refused, errFull) {
			return bad.list, fmt.Errorf("%s, line %d: %w", path, n, refused)
		} else if refused != nil {
			bad.add(n, refused.Error())
		}
		if err != nil {
			return bad.all(), nil
		}
	}
}

// skipLine reads what is left of a line that is too long.
func skipLine(r *bufio.Reader) error {
	for {
		if _, err := r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// badLines are the bad lines of one file.
type badLines struct {
	file string
	list []BadLine
	more int  // not in list
	kept bool // all of those
}

// add keeps the reason why a line can't be used; "": it can.
func (b *badLines) add(line int, reason string) {
	if reason != "" {
		b.keep(BadLine{Line: line, Reason: reason})
	}
}

func (b *badLines) keep(bad BadLine) {
	if len(b.list) >= maxBadLines {
		b.kept = bad.Kept && (b.kept || b.more == 0)
		b.more++
		return
	}
	bad.File = b.file
	b.list = append(b.list, bad)
}

func (b *badLines) all() []BadLine {
	if b.more > 0 {
		more := BadLine{
			File: b.file, Kept: b.kept, Reason: fmt.Sprintf("and %d more lines", b.more),
		}
		return append(b.list, more)
	}
	return b.list
}

// refusal is the reason why use refuses a line. It is nil if use takes the line or the line is
// empty.
func refusal(line []byte, use func(line []byte) error) error {
	text := bytes.TrimSuffix(line, []byte("\n"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if n := foreign.Values(text); n > maxLineValues {
		return fmt.Errorf("found %d values, allowed: at most %d", n, maxLineValues)
	}
	err := use(text)
	if err != nil && len(text) == len(line) {
		return fmt.Errorf("half-written: %w", err)
	}
	return err
}
