package mqueue

import "dpukv/verbs"

// maxControls is the most control words that one READ fetches.
const maxControls = 64

// fetcher fetches the owner's messages by READ. Messages before fetched are here. The control words
// of those before found are.
type fetcher struct {
	fetched, found uint64
	reading        uint64 // control words that the READ on the way fetches, from found on
	busy           bool
	words          []control // by slot
}

// fetch appends the READs of the payloads that were found, and of the next control words. The last
// READ requests the completion of all.
func (e *End) fetch(list []verbs.SendWR) []verbs.SendWR {
	f := &e.fetcher
	begin := len(list)
	for m := f.fetched; m != f.found; m++ {
		n := f.words[e.layout.slot(m)].bytes()
		if n == 0 {
			continue
		}
		list = append(list, verbs.SendWR{
			Op: verbs.OpRead, Local: e.local(e.layout.inEnd(m)-padded(n), n),
			Remote: e.remote(e.layout.outStart(m)), RKey: e.peer.RKey,
		})
	}
	if f.reading = e.possible(); f.reading > 0 {
		list = append(list, verbs.SendWR{
			Op: verbs.OpRead, Local: e.local(e.layout.fetched, int(f.reading)*wordBytes),
			Remote: e.remote(e.layout.control(f.found)), RKey: e.peer.RKey,
		})
	}
	if len(list) == begin {
		f.fetched = f.found // messages without a payload
		return list
	}
	last := &list[len(list)-1]
	last.Flags |= verbs.Signaled
	last.ID = kindFetch << kindShift
	f.busy = true
	return list
}

// possible returns how many control words can be new. They lie in a row.
func (e *End) possible() uint64 {
	f := &e.fetcher
	last := e.sent // answers to come
	if e.role != requester {
		last += uint64(e.shape.Slots)
	}
	if f.found >= last {
		return 0
	}
	return min(last-f.found, uint64(e.shape.Slots-e.layout.slot(f.found)), maxControls)
}

// found handles the completion of fetch.
func (e *End) found() error {
	f := &e.fetcher
	f.busy, f.fetched = false, f.found
	for i := range f.reading {
		word := load(e.memory, e.layout.fetched+int(i)*wordBytes)
		ok, err := word.of(f.found, e.shape)
		if err != nil || !ok {
			return err
		}
		if e.role == undecided {
			e.role = answerer
		}
		f.words[e.layout.slot(f.found)] = word
		f.found++
	}
	return nil
}
