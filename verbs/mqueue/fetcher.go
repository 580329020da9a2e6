package mqueue

import (
	"encoding/binary"

	"dpukv/verbs"
)

// maxFetch is the most messages that one list of READs fetches.
const maxFetch = 16

// fetcher receives messages by READs of the peer's memory. It has one READ of control words on its
// way, behind the READs of the messages that the last one announced.
type fetcher struct {
	q     *queue
	shape Shape
	mr    verbs.MR // slots, then the list of control words
	bytes []byte
	words []byte
	from  verbs.Region

	announced uint64 // the last message that a fetched control word announces
	fetched   uint64 // the last message that is here
	asked     uint64 // the last message of the READ of control words that is on its way; 0: none
	control   []word // of messages from fetched on, by slot
}

func newFetcher(q *queue, s Shape, from verbs.Region) (*fetcher, error) {
	mr, err := q.pd.AllocMR(publishedBytes(&s), verbs.LocalWrite)
	if err != nil {
		return nil, err
	}
	all := mr.Bytes()
	return &fetcher{
		q: q, shape: s, mr: mr, bytes: all, words: all[s.bytes():], from: from,
		control: make([]word, s.Slots),
	}, nil
}

func (f *fetcher) look(n uint64) (m Message, there bool, err error) {
	if n > f.fetched {
		return m, false, nil
	}
	w, at := f.control[f.shape.index(n)], f.shape.slot(n)
	to := at + w.bytes()
	return Message{f.bytes[at:to:to], w.code()}, true, nil
}

// fetch posts the READs of announced messages and of the next control words, unless READs are on
// their way. Message n is the next to be handed out. The READs reach no slot of a message that is
// not yet.
func (f *fetcher) fetch(n, wanted uint64) error {
	if f.asked != 0 {
		return nil
	}
	f.q.wrs = f.q.wrs[:0]
	for i := f.fetched + 1; i <= f.announced; i++ {
		if w := f.control[f.shape.index(i)]; w.bytes() > 0 {
			f.add(f.shape.slot(i), padded(w.bytes()))
		}
	}
	first := f.announced + 1
	last := min(wanted, n+uint64(f.shape.Slots)-1, f.announced+maxFetch)
	if first > last {
		if f.announced == f.fetched {
			return nil
		}
		last = first // the READ completes those before it
	}
	at := f.shape.index(first)
	count := min(int(last-first)+1, f.shape.Slots-at) // up to the end of the list
	f.add(f.shape.bytes()+at*wordBytes, count*wordBytes)
	f.asked = first + uint64(count) - 1
	wr := &f.q.wrs[len(f.q.wrs)-1]
	wr.Flags, wr.ID = verbs.Signaled, idOf(fetched, first)
	return f.q.post()
}

// add adds a READ to the list. The memory here has the layout of that at the peer.
func (f *fetcher) add(at, bytes int) {
	f.q.wrs = append(f.q.wrs, verbs.SendWR{
		Op:     verbs.OpRead,
		Local:  verbs.SGE{Addr: f.mr.Addr() + uint64(at), Length: uint32(bytes), LKey: f.mr.LKey()},
		Remote: f.from.Addr + uint64(at), RKey: f.from.RKey,
	})
}

// done takes the control words from first on. All READs before theirs are complete, too.
func (f *fetcher) done(_ completion, first uint64) error {
	f.fetched = f.announced
	last := f.asked
	f.asked = 0
	for n := first; n <= last; n++ {
		i := f.shape.index(n)
		w := word(binary.NativeEndian.Uint64(f.words[i*wordBytes:]))
		there, err := w.announces(n, &f.shape)
		if !there {
			return err
		}
		f.announced = n
		f.control[i] = w
		if w.bytes() == 0 && f.fetched == n-1 {
			f.fetched = n // nothing to fetch
		}
	}
	return nil
}

func (f *fetcher) close() error { return f.mr.Close() }
