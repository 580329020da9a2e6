package sockets

// Batch is a batch of requests as they are sent. It holds an N for each request, until its answer.
type Batch[N any] struct {
	Frame  []byte
	Notes  []N
	SentNs int64

	written int // bytes of the frame
}

// reset empties a batch.
func (b *Batch[N]) reset() { b.Frame, b.Notes, b.written = b.Frame[:0], b.Notes[:0], 0 }
