package sockets

// Batch is a batch of requests as they are sent. It holds an N for each request, until its answer.
type Batch[N any] struct {
	Frame  []byte
	Notes  []N
	SentNs int64

	written int // bytes of the frame
	// cuts are where records of TLS end within the frame; see Cut.
	cuts []int
}

// Note adds a note, for the caller to fill in place. A copy of a fresh note would load words wider
// than those just stored, and wait until the stores leave the CPU's queue. The note still has what
// an earlier request left. There is room for as many notes as a batch has operations.
func (b *Batch[N]) Note() *N {
	b.Notes = b.Notes[:len(b.Notes)+1]
	return &b.Notes[len(b.Notes)-1]
}

// reset empties a batch.
func (b *Batch[N]) reset() {
	b.Frame, b.Notes, b.cuts, b.written = b.Frame[:0], b.Notes[:0], b.cuts[:0], 0
}
