package onesided

import (
	"time"

	"dpukv/kvs"
	"dpukv/kvs/internal/sockets"
)

// turnPlaces is the number of places among which keys are spread. Keys of one place wait for each
// other without need.
const turnPlaces = 1 << 14

// turns is a session that executes each key's requests in the order of their Submit. A request
// waits while an earlier one of its key is in flight, unless both are GETs.
type turns struct {
	*session
	places  []turn
	request kvs.Request // here, as one per Submit would be an allocation
	notes   []turnNote  // by number, which is the request's cookie
	unused  []uint32    // numbers
	refused bool        // since the last Poll
}

// turn counts the requests in flight of the keys of a place.
type turn struct{ gets, writes uint32 }

// turnNote is the state of a request until its answer.
type turnNote struct {
	cookie uint64
	place  uint32
	writes bool
}

func newTurns(s *session) *turns { return &turns{session: s, places: make([]turn, turnPlaces)} }

// Submit returns false while a request of the key must wait for an earlier one.
func (t *turns) Submit(r *kvs.Request) (bool, error) {
	place, writes := uint32(sockets.PlaceOf(r.Key, turnPlaces)), r.Op.Writes()
	at := &t.places[place]
	if at.writes > 0 || writes && at.gets > 0 {
		t.refused = true
		return false, nil
	}
	if len(t.unused) == 0 {
		t.unused = append(t.unused, uint32(len(t.notes)))
		t.notes = append(t.notes, turnNote{})
	}
	n := t.unused[len(t.unused)-1]
	t.request = *r
	t.request.Cookie = uint64(n)
	taken, err := t.session.Submit(&t.request)
	if !taken || err != nil {
		return taken, err
	}
	t.unused = t.unused[:len(t.unused)-1]
	t.notes[n] = turnNote{r.Cookie, place, writes}
	if writes {
		at.writes++
	} else {
		at.gets++
	}
	return true, nil
}

// Poll takes answers. What a refused request waits for may lie in a batch that is not full.
func (t *turns) Poll(answers []kvs.Answer, wait time.Duration) ([]kvs.Answer, error) {
	if t.refused {
		t.refused = false
		if err := t.Flush(); err != nil {
			return answers, err
		}
	}
	had := len(answers)
	answers, err := t.session.Poll(answers, wait)
	for i := had; i < len(answers); i++ {
		a := &answers[i]
		n := uint32(a.Cookie)
		note := &t.notes[n]
		if at := &t.places[note.place]; note.writes {
			at.writes--
		} else {
			at.gets--
		}
		a.Cookie = note.cookie
		t.unused = append(t.unused, n)
	}
	return answers, err
}
