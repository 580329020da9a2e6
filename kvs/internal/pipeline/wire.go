package pipeline

import (
	"fmt"

	"dpukv/kvs"
)

// MaxBatch bounds the operations of a batch, and with it the answers that a connection holds.
const MaxBatch = 4096

// maxLineBytes is more than any line of an answer that is not a value.
const maxLineBytes = 2048

// Wire is a protocol as one connection speaks it.
type Wire interface {
	// Append adds a request to a batch.
	Append(batch []byte, r *kvs.Request) []byte
	// End completes a batch of at least one request.
	End(batch []byte) []byte
	// Read takes the next answer, to a request of op, from the start of in. If that is not there
	// whole yet, Read is called again with more.
	Read(in []byte, op kvs.Op) (Outcome, error)
}

// Outcome is one answer as a [Wire] reads it. (Four fields: the compiler keeps no larger structure
// in registers.)
type Outcome struct {
	Status kvs.Status
	From   int // of the value in what was read
	To     int
	// Bytes are those of the whole answer. If they are more than there are, or 0 as that is not
	// known yet, the answer is not there whole, and the rest of the outcome means nothing.
	Bytes int
}

// Line finds the end of the line that in starts with: the index of its LF, which a CR must precede.
// It is -1 while the line is not there whole.
func Line(in []byte) (int, error) {
	for i, c := range in[:min(len(in), maxLineBytes)] {
		if c == '\n' {
			if i == 0 || in[i-1] != '\r' {
				return -1, Nonsense(in)
			}
			return i, nil
		}
	}
	if len(in) >= maxLineBytes {
		return -1, Nonsense(in)
	}
	return -1, nil
}

// Number reads the decimal number, of at most 9 digits, that in starts with, and tells how long it
// is: 0 if there is none.
func Number(in []byte) (value, digits int) {
	for digits < len(in) && digits < 9 && '0' <= in[digits] && in[digits] <= '9' {
		value = 10*value + int(in[digits]-'0')
		digits++
	}
	return value, digits
}

// Nonsense is the error of an answer that is none of the protocol's.
func Nonsense(in []byte) error {
	const most = 60
	if len(in) > most {
		return fmt.Errorf("an answer that starts %q is none of this protocol: is it the server that was asked for?", in[:most])
	}
	return fmt.Errorf("the answer %q is none of this protocol: is it the server that was asked for?", in)
}
