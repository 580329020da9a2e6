package pipeline

import (
	"fmt"

	"dpukv/kvs"
)

// MaxBatch limits the operations of a batch, and thereby the answers that a connection holds.
const MaxBatch = 4096

// maxLineBytes exceeds any line of an answer that is not a value.
const maxLineBytes = 2048

// Wire is the protocol state of one connection.
type Wire interface {
	// Append adds a request to a batch.
	Append(batch []byte, r *kvs.Request) []byte
	// End completes a batch of at least one request.
	End(batch []byte) []byte
	// Read parses the next answer, to a request of op, at the start of in. If the answer is
	// incomplete, Read is called again with more input.
	Read(in []byte, op kvs.Op) (Outcome, error)
}

// Outcome is one answer as a [Wire] parses it. (Four fields: the compiler keeps no larger structure
// in registers.)
type Outcome struct {
	Status kvs.Status
	From   int // offset of the value in the input
	To     int
	// Bytes is the length of the whole answer. If it exceeds the input, or is 0 because it is not
	// known yet, the answer is incomplete. The rest of the outcome then means nothing.
	Bytes int
}

// Line finds the end of the line that in starts with: the index of its LF, which a CR must precede.
// It returns -1 while the line is incomplete.
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

// Number parses the decimal number of at most 9 digits that in starts with. It also returns the
// number of digits: 0 if there is none.
func Number(in []byte) (value, digits int) {
	for digits < len(in) && digits < 9 && '0' <= in[digits] && in[digits] <= '9' {
		value = 10*value + int(in[digits]-'0')
		digits++
	}
	return value, digits
}

// Nonsense returns the error for an answer that violates the protocol.
func Nonsense(in []byte) error {
	const most = 60
	if len(in) > most {
		return fmt.Errorf("answer: found one that starts with %q, which is not of this protocol: "+
			"check the address and the store", in[:most])
	}
	return fmt.Errorf("answer: found %q, which is not of this protocol: check the address and "+
		"the store", in)
}
