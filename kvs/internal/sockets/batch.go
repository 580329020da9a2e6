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

// reset empties a batch.
func (b *Batch[N]) reset() {
	b.Frame, b.Notes, b.cuts, b.written = b.Frame[:0], b.Notes[:0], b.cuts[:0], 0
}
