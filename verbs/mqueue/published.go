package mqueue

import (
	"unsafe"

	"dpukv/internal/order"
	"dpukv/verbs"
)

// published sends messages by leaving them in this end's memory, for the peer's READs.
type published struct {
	shape Shape
	mr    verbs.MR // slots, then the list of control words
	bytes []byte
	words []byte
}

func newPublished(q *queue, s Shape) (*published, error) {
	mr, err := q.pd.AllocMR(publishedBytes(&s), verbs.LocalWrite|verbs.RemoteRead)
	if err != nil {
		return nil, err
	}
	all := mr.Bytes()
	return &published{s, mr, all, all[s.bytes():]}, nil
}

// publishedBytes is the size of the memory that the peer reads.
func publishedBytes(s *Shape) int { return s.bytes() + s.Slots*wordBytes }

func (p *published) room(n uint64) []byte {
	at := p.shape.slot(n)
	return p.bytes[at : at+p.shape.SlotBytes : at+p.shape.SlotBytes]
}

func (p *published) send(n uint64, bytes int, code uint8) error {
	at := (*uint64)(unsafe.Pointer(&p.words[p.shape.index(n)*wordBytes]))
	order.Store64(at, uint64(wordOf(n, bytes, code)))
	return nil
}

func (p *published) done(completion, uint64) error { return nil }
func (p *published) close() error                  { return p.mr.Close() }
