package sockets

// Batch is some requests as they are sent, and what to remember of each until its answer, an N.
type Batch[N any] struct {
	Frame  []byte
	Notes  []N
	SentNs int64

	written int // bytes of the frame
}

// reset empties a batch.
func (b *Batch[N]) reset() { b.Frame, b.Notes, b.written = b.Frame[:0], b.Notes[:0], 0 }
