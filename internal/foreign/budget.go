package foreign

import (
	"fmt"
	"io"
)

// MaxAnswer is the largest answer of a server to one question about itself.
const MaxAnswer = 16 << 20

// Budget reads from a peer, at most MaxAnswer bytes for each question. A buffered reader may use
// it.
type Budget struct {
	r    io.Reader
	left int
}

// NewBudget returns a reader for the first question.
func NewBudget(r io.Reader) *Budget { return &Budget{r, MaxAnswer} }

// Ask begins the next question.
func (b *Budget) Ask() { b.left = MaxAnswer }

// Read implements [io.Reader].
func (b *Budget) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("found too many bytes in an answer, allowed: at most %d", MaxAnswer)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
