package foreign

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// TooMuch is the error about bytes of another party beyond a bound.
type TooMuch struct {
	What string // "an answer", "a line of its output"
	Most int64  // bytes
}

func (e *TooMuch) Error() string {
	return fmt.Sprintf("found more bytes in %s, allowed: at most %d bytes", e.What, e.Most)
}

// Over reports whether an error is about bytes beyond a bound.
func Over(err error) bool {
	_, over := errors.AsType[*TooMuch](err)
	return over
}

// Limit reads at most so many bytes. Where more come, it fails with [TooMuch]. A buffered reader
// may use it.
type Limit struct {
	r    io.Reader
	much TooMuch
	left int64
}

// NewLimit returns a reader of at most so many bytes. what is for the error.
func NewLimit(r io.Reader, what string, most int64) *Limit {
	return &Limit{r, TooMuch{what, most}, most}
}

// Read implements [io.Reader].
func (l *Limit) Read(p []byte) (int, error) {
	if l.left > 0 {
		n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
		l.left -= int64(n)
		return n, err
	}
	var one [1]byte // the end may come exactly here
	n, err := l.r.Read(one[:min(len(p), 1)])
	if n > 0 {
		return 0, &l.much
	}
	return 0, err
}

// ReadAll reads up to the end, at most so many bytes.
func ReadAll(r io.Reader, what string, most int64) ([]byte, error) {
	return io.ReadAll(NewLimit(r, what, most))
}

// ReadLine reads up to the next newline, which is part of the line: at most so many bytes. A last
// line without a newline comes with [io.EOF]. After [TooMuch], the rest of the line is still to be
// read.
func ReadLine(r *bufio.Reader, what string, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if n := len(line) + len(part); n > most || full && n == most { // the newline is to come
			if err == nil {
				_ = r.UnreadByte() // the newline; it fails only where nothing was read
			}
			return nil, &TooMuch{what, int64(most)}
		}
		line = append(line, part...)
		if !full {
			return line, err
		}
	}
}

// Values counts the values in a text of JSON, with those of all lists and objects. A value of two
// bytes may take hundreds in memory.
func Values(text []byte) int {
	values, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\\':
			i++ // the quote behind it ends no string
		case ',', '{', '[':
			if !quoted {
				values++
			}
		}
	}
	return values
}

// MaxAnswer is the largest answer of a server to one question about itself.
const MaxAnswer = 4 << 20

// Budget reads from a peer, at most MaxAnswer bytes for each question.
type Budget struct{ Limit }

// NewBudget returns a reader for the first question.
func NewBudget(r io.Reader) *Budget { return &Budget{*NewLimit(r, "an answer", MaxAnswer)} }

// Ask begins the next question.
func (b *Budget) Ask() { b.left = MaxAnswer }
