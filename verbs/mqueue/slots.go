package mqueue

import "dpukv/verbs"

// slots receives messages that the peer writes into this end's memory.
type slots struct {
	shape Shape
	mr    verbs.MR
	bytes []byte
}

func newSlots(q *queue, s Shape) (*slots, error) {
	mr, err := q.pd.AllocMR(s.bytes(), verbs.LocalWrite|verbs.RemoteWrite)
	if err != nil {
		return nil, err
	}
	return &slots{s, mr, mr.Bytes()}, nil
}

func (r *slots) look(n uint64) (m Message, there bool, err error) {
	end := r.shape.slot(n) + padded(r.shape.SlotBytes)
	w := loadWord(&r.bytes[end])
	if there, err = w.announces(n, &r.shape); !there {
		return m, false, err
	}
	from := end - padded(w.bytes())
	to := from + w.bytes()
	return Message{r.bytes[from:to:to], w.code()}, true, nil
}

func (r *slots) fetch(uint64, uint64) error    { return nil } // the peer moves them
func (r *slots) done(completion, uint64) error { return nil }
func (r *slots) close() error                  { return r.mr.Close() }
