package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dpukv/client/ownkeys"
	"dpukv/kvs"
)

// The room is looked at so often in the preload, and under load.
const (
	preloadLook = 10 * time.Millisecond
	loadLook    = 100 * time.Millisecond
)

// preloadOp is the operation that stores a key for the first time.
func (r *loadRun) preloadOp() kvs.Op {
	if g := r.cfg.Guard; g != nil && !g.Overwrite {
		return kvs.Add
	}
	return kvs.Set
}

// room asks the server for its room. told: it tells the room.
func (r *loadRun) room() (room kvs.Room, told bool, err error) {
	remote, ok := r.remote.(kvs.Roomy)
	if !ok || r.cfg.Guard == nil {
		return room, false, nil
	}
	room, err = remote.Room()
	return room, room.Told(), err
}

// lateWrites reports whether the load stores further keys after the preload.
func (c *Config) lateWrites() bool { return c.Replays() || c.Fills() }

// watch ends the run when the load has used up its part of the server's room, or when the server
// evicts. It looks until the returned function is called.
func (r *loadRun) watch(every time.Duration) (stop func()) {
	if !r.guards() {
		return func() {}
	}
	r.ration.Store(r.fitting(&r.preRoom))
	ctx, cancel := context.WithCancel(r.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			room, _, err := r.room()
			if err == nil {
				err = r.exceeds(&room)
				r.ration.Store(r.fitting(&room))
			}
			if err != nil && ctx.Err() == nil {
				r.cancel(err)
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// leastRation lets a preload go on where the bound of an item's cost lets no item fit.
const leastRation = 16

// fitting returns how many items surely fit into the load's part of the room.
func (r *loadRun) fitting(room *kvs.Room) int64 {
	each := float64(ownkeys.MostBytes(r.cfg.KeyBytes + r.cfg.ValueBytes))
	return max(int64(room.Beyond(1-ownkeys.Fill, &r.preRoom)/each), leastRation)
}

// guards reports whether the room is looked at.
func (r *loadRun) guards() bool {
	return r.cfg.Guard != nil && !r.cfg.Guard.EvictOthers && r.preRoom.Told() &&
		!r.preRoom.Unbounded()
}

// exceeds refuses to go on where little of the room is left.
func (r *loadRun) exceeds(room *kvs.Room) error {
	left := room.LeftOf(&r.preRoom)
	switch {
	case room.Evicted > r.preRoom.Evicted:
		return fmt.Errorf("%s: found evictions since the load began, %d, allowed: none; %s",
			r.serverName(), room.Evicted-r.preRoom.Evicted, moreRoom)
	case left < 1-ownkeys.Fill:
		return fmt.Errorf("%s: found %.0f %% of its room left, allowed: %.0f %% or more; %s",
			r.serverName(), 100*left, 100*(1-ownkeys.Fill), moreRoom)
	}
	return nil
}

const moreRoom = "the load stops before it evicts items of others, or fills the server; ask for " +
	"fewer or smaller keys, give the server more memory, or allow it: --evict-others"

// lost counts the items of others that the server has evicted: all evicted ones, less the load's
// own that are gone. Own ones may have been evicted and stored again, or have expired.
func (r *loadRun) lost() (*LostError, error) {
	room, told, err := r.room()
	if !told || err != nil || room.Evicted <= r.preRoom.Evicted {
		return nil, err
	}
	items, w := room.Evicted-r.preRoom.Evicted, &r.cfg.Load
	if w.Replays() {
		return &LostError{items, true}, nil // which keys must be there is not known
	}
	ctx, cancel := ownkeys.WithGrace(r.caller)
	defer cancel()
	own := ownkeys.SetOf(w)
	there, err := ownkeys.Count(ctx, r.remote, &own)
	stored := r.preloaded.answered - r.preloaded.errors
	if r.verified.answered > 0 {
		stored = uint64(w.Keys)
	}
	gone := max(stored, there) - there
	if gone >= items {
		return nil, err
	}
	return &LostError{items - gone, w.Fills() || w.GetRatio < 1 || w.TTL > 0}, err
}

// settle adds what others lost to the outcome of a run.
func (r *loadRun) settle(err error) (items uint64, _ error) {
	lost, countErr := r.lost()
	if countErr != nil && err == nil {
		err = fmt.Errorf("count what the server evicted: %w", countErr)
	}
	switch {
	case lost == nil:
		return 0, err
	case r.cfg.Guard.EvictOthers:
		r.evictions = lost.Error()
		return lost.Items, err
	case err == nil:
		return lost.Items, lost
	}
	return lost.Items, errors.Join(err, lost)
}

// untold warns of counters that the server does not tell; "": it tells all.
func (r *loadRun) untold() string {
	list := r.preStats.Untold
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("the server does not tell %s: figures that need that are not known",
		strings.Join(list, ", "))
}
