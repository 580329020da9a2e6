package ownkeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dpukv/kvs"
)

// Found counts the keys of a server.
type Found struct {
	// Keys are all keys, of the database that the address names.
	Keys uint64 `json:"keys"`
	// Own are those among them that have the names of the load's keys.
	Own uint64 `json:"own"`
}

// Look counts the keys of a server. It looks for own ones only if there are any keys. A trace must
// be there, as its keys will be removed.
func Look(
	ctx context.Context, remote kvs.Remote, sets []Set, done func(keys uint64),
) (f Found, err error) {
	if err := readable(sets); err != nil {
		return f, err
	}
	stats, err := remote.Stats()
	if err != nil {
		return f, err
	}
	if len(stats.Workers) == 0 {
		return f, errors.New("look for keys: found a server that does not tell how many it has, " +
			"allowed: one that does")
	}
	for i := range stats.Workers {
		f.Keys += stats.Workers[i].Items
	}
	if f.Keys > 0 {
		f.Own, err = run(ctx, remote, kvs.Get, sets, done)
	}
	if err != nil {
		return f, fmt.Errorf("look for own keys: %w", err)
	}
	return f, nil
}

// Says describes what is there.
func (f *Found) Says() string {
	if f.Keys == 0 {
		return "which has no keys"
	}
	return fmt.Sprintf("which has %s, %d of them with the same names", count(f.Keys), f.Own)
}

func count(keys uint64) string {
	if keys == 1 {
		return "1 key"
	}
	return fmt.Sprintf("%d keys", keys)
}

// Consent refuses a server that has keys, unless the user agreed.
func (f *Found) Consent(server string, sets []Set, agreed, keep bool) error {
	if f.Keys == 0 || agreed {
		return nil
	}
	after := "removes its own keys afterwards"
	if keep {
		after = "keeps its own keys there"
	}
	return fmt.Errorf("%s: found %s, %d of them with the names of this load's keys, allowed: "+
		"an empty server, or --yes; the load stores %s, overwrites keys with the same names, "+
		"and %s",
		server, count(f.Keys), f.Own, Describe(sets), after)
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

// Remove deletes all keys of the sets, until none is there. A server may still execute SETs of an
// interrupted load, so one pass does not suffice.
func Remove(
	ctx context.Context, remote kvs.Remote, sets []Set, done func(keys uint64),
) (removed uint64, err error) {
	for range maxPasses {
		n, err := run(ctx, remote, kvs.Delete, sets, done)
		removed += n
		if err != nil {
			return removed, left(sets, removed, err)
		}
		if n == 0 {
			return removed, nil
		}
	}
	return removed, left(sets, removed, errReturn)
}

// left says what a removal that failed may have left.
func left(sets []Set, removed uint64, err error) error {
	return fmt.Errorf("remove own keys: removed %d of %s, and others may still be there, "+
		"allowed: none; repeat the load to remove them: %w", removed, Describe(sets), err)
}
