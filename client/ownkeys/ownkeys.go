package ownkeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dpukv/kvs"
)

// Terms are what the user agrees to.
type Terms struct {
	// Yes lets the load run beside keys of others, and overwrite those with the same names.
	Yes bool `json:"yes,omitempty"`
	// EvictOthers lets the load use up the server's memory.
	EvictOthers bool `json:"evict_others,omitempty"`
	// Keep leaves the load's keys there.
	Keep bool `json:"keep,omitempty"`
}

// Found is what a look at a server found.
type Found struct {
	// Keys are all keys, of the database that the address names. Untold: the server does not tell.
	Keys   uint64 `json:"keys"`
	Untold bool   `json:"untold,omitempty"`
	// Own are those among them that have the names of the load's keys: of Looked out of Names.
	Own    uint64 `json:"own"`
	Looked uint64 `json:"looked,omitempty"`
	Names  uint64 `json:"names,omitempty"`

	Room kvs.Room `json:"room,omitzero"`
	Need Need     `json:"need,omitzero"`
}

// mostLooked is the most names of a set that a look asks for. Of a trace it asks for all: its SETs
// overwrite.
const mostLooked = 100_000

// Look counts the keys of a server, and looks for own ones: the server's count proves nothing. It
// compares what the load needs with the room that is there. A trace must be there, as its keys will
// be removed.
//
// With consent, or where nothing was found, it stores some of the load's keys for a moment, if they
// surely fit. So it learns what an item costs. Without sets it only counts.
func Look(
	ctx context.Context, remote kvs.Remote, sets []Set, t Terms, done func(keys uint64),
) (f Found, err error) {
	if err := readable(sets); err != nil {
		return f, err
	}
	stats, err := remote.Stats()
	if err != nil {
		return f, err
	}
	f.Untold = stats.NoItems || len(stats.Workers) == 0
	for i := range stats.Workers {
		f.Keys += stats.Workers[i].Items
	}
	if len(sets) == 0 {
		return f, nil
	}
	if err := f.look(ctx, remote, sets, t, done); err != nil {
		return f, fmt.Errorf("look for own keys: %w", err)
	}
	return f, nil
}

func (f *Found) look(
	ctx context.Context, remote kvs.Remote, sets []Set, t Terms, done func(keys uint64),
) (err error) {
	for i := range sets {
		s := &sets[i]
		j := job{op: kvs.Get, most: mostLooked, done: done}
		if s.Trace != "" {
			j.most = 0
		}
		o, err := runSet(ctx, remote, s, j)
		if err != nil {
			return err
		}
		f.Own += o.matched
		f.Looked += o.keys
		f.Names += o.names
		n := bound(&o)
		if t.Yes || f.Own == 0 && f.Keys == 0 {
			if n, err = measure(ctx, remote, s, n, done); err != nil {
				return err
			}
		}
		f.Need.add(n)
	}
	f.Room, err = roomOf(remote) // now with the classes of the sample
	return err
}

// Says describes what is there.
func (f *Found) Says() string {
	switch {
	case f.Untold:
		return fmt.Sprintf("which does not tell how many keys it has, and has %s", f.names())
	case f.Keys == 0 && f.Own == 0:
		return "which has no keys"
	}
	return fmt.Sprintf("which has %s, %s", count(f.Keys), f.names())
}

func count(keys uint64) string {
	if keys == 1 {
		return "1 key"
	}
	return fmt.Sprintf("%d keys", keys)
}

// names says how many names of the load are there.
func (f *Found) names() string {
	if f.Looked < f.Names {
		return fmt.Sprintf("%d with the names of this load's keys (looked for %d of its %d names)",
			f.Own, f.Looked, f.Names)
	}
	return fmt.Sprintf("%d with the names of this load's keys", f.Own)
}

// Consent refuses a server with keys, unless the user agreed, and a load that may evict items of
// others, or fill the server, unless the user asked for that.
func (f *Found) Consent(server string, sets []Set, t Terms) error {
	if (f.Keys > 0 || f.Own > 0) && !t.Yes {
		after := "removes its own keys afterwards"
		if t.Keep {
			after = "keeps its own keys there"
		}
		overwrites := ""
		if f.Own > 0 {
			overwrites = "overwrites keys with the same names, "
		}
		return fmt.Errorf("%s: found %s, %s, allowed: an empty server, or --yes; the load stores "+
			"%s, %sand %s; %s", server, count(f.Keys), f.names(), Describe(sets),
			overwrites, after, f.Fits())
	}
	if what := f.harm(); what != "" && !t.EvictOthers {
		return fmt.Errorf("%s: %s, or allow it: --evict-others", server, what)
	}
	return nil
}

// Warning is the warning of a point whose load replaced keys; "": it replaced none.
func (f *Found) Warning() string {
	if f.Own == 0 {
		return ""
	}
	return fmt.Sprintf("%s with the names of the load's keys were on the server before. The "+
		"load overwrote them", count(f.Own))
}

// Grace is the time that an interrupted load has to remove its keys.
const Grace = 30 * time.Second

// errGrace reports that a removal took too long.
var errGrace = fmt.Errorf("the removal took longer than %v after the interruption", Grace)

// WithGrace returns a context that outlives ctx by the grace.
func WithGrace(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(Grace, func() { cancel(errGrace) })
	})
	return own, func() { stop(); cancel(nil) }
}

// maxPasses bounds the passes of a removal.
const maxPasses = 5

// errReturn reports keys that another client stores again.
var errReturn = errors.New("keys appear again after their removal: another client stores them")

// Removed is what a removal did.
type Removed struct {
	Keys uint64 `json:"keys"`
	// Left are the keys that the server then has, and Evicted those that it has evicted so far.
	Left    uint64 `json:"left"`
	Evicted uint64 `json:"evicted,omitempty"`
}

// Remove deletes all keys of the sets whose values are a load's, until none is there. A server may
// still execute SETs of an interrupted load, so one pass does not suffice.
func Remove(
	ctx context.Context, remote kvs.Remote, sets []Set, done func(keys uint64),
) (r Removed, err error) {
	for range maxPasses {
		o, err := run(ctx, remote, sets, job{op: kvs.Delete, done: done})
		r.Keys += o.matched
		if err != nil {
			return r, left(sets, r.Keys, err)
		}
		if o.matched > 0 {
			continue
		}
		stats, err := remote.Stats()
		for i := range stats.Workers {
			r.Left += stats.Workers[i].Items
		}
		room, roomErr := roomOf(remote)
		r.Evicted = room.Evicted
		return r, errors.Join(err, roomErr)
	}
	return r, left(sets, r.Keys, errReturn)
}

// left says what a removal that failed may have left.
func left(sets []Set, removed uint64, err error) error {
	return fmt.Errorf("remove own keys: removed %d of %s, and others may still be there, "+
		"allowed: none; repeat the load with --yes to remove them: %w", removed, Describe(sets),
		err)
}

// Count counts the keys of a set that are there with a value of a load.
func Count(ctx context.Context, remote kvs.Remote, s *Set) (uint64, error) {
	o, err := runSet(ctx, remote, s, job{op: kvs.Get, done: func(uint64) {}})
	return o.own, err
}

// Fell says that others' keys are fewer than before, without evictions; "": they are not, or it is
// not known.
func (f *Found) Fell(r Removed) string {
	known := !f.Untold && (f.Own == 0 || f.Looked == f.Names) && r.Evicted == f.Room.Evicted
	if !known || r.Left+f.Own >= f.Keys {
		return ""
	}
	return fmt.Sprintf("the server has %s of others, %d fewer than before: it evicted none, so "+
		"they expired, or their owner deleted them", count(r.Left),
		f.Keys-f.Own-r.Left)
}
