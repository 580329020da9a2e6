package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"dpukv/client/ownkeys"
	"dpukv/kvs"
)

// A gate is a condition that a run must meet for its figures to be credible.

func (r *loadRun) preloadGate() error {
	t, w := r.preloaded, &r.cfg.Workload
	switch {
	case t.full > 0:
		return fmt.Errorf("%d of %d keys fitted; the server answered full for the others: start "+
			"it with more room, or ask for fewer keys (its index has %d items, its log %d bytes; "+
			"an item takes up to %d + %d bytes and a header)",
			t.answered-t.errors, w.Keys, r.facts.Items, r.facts.LogBytes,
			w.MaxKeyBytes(), w.MaxValueBytes())
	case t.errors > 0:
		return r.wrongAnswers(t)
	}
	return nil
}

func (r *loadRun) verifyGate() error {
	if r.verified.errors > 0 {
		return r.wrongAnswers(r.verified)
	}
	// Each key was asked for once, so chance plays no part.
	most := float64(r.verified.gets) * (1 - r.facts.MinHitRate)
	return r.hitGate(r.verified, most, "right after the preload")
}

// gate checks the run after the measurement.
func (r *loadRun) gate() error {
	sum := r.sum()
	all := sum.inside
	all.add(sum.outside)
	if all.errors > 0 {
		return r.wrongAnswers(all)
	}
	if err := r.goneGate(&all); err != nil {
		return err
	}
	if sum.inside.answered == 0 && sum.answeredIn > 0 {
		return &backlogError{r.cfg.Duration, sum.answeredIn}
	}
	if sum.inside.answered == 0 && r.cfg.Replays() && r.quota != nil {
		return fmt.Errorf("trace: found no operation after the warm-up of %v, allowed: one or "+
			"more; shorten the warm-up, or take more of the trace's keys and operations",
			r.cfg.Warmup)
	}
	if sum.inside.answered == 0 {
		return fmt.Errorf("no answer came in the measurement period of %v: measure for "+
			"longer", r.cfg.Duration)
	}
	if err := r.windowGate(); err != nil {
		return err
	}
	most := sampledMisses(sum.inside.gets, r.facts.MinHitRate)
	return r.hitGate(sum.inside, most, "in the measurement period")
}

// goneGate refuses a replay in which more keys went than the server's count of evictions explains.
func (r *loadRun) goneGate(t *tally) error {
	if evicted := r.evictedBy(&r.postStats); t.gone > evicted {
		return fmt.Errorf("%s: %d of %d answers did not find a key that was there by the answers "+
			"before, allowed: %d, as many as the server evicted. Examples: %s", r.serverName(),
			t.gone, t.answered, evicted, strings.Join(r.words(func(t *thread) []string {
				return t.gone
			}), "; "))
	}
	return nil
}

// backlogError ends a run whose rate is so far beyond the capacity that no operation of the period
// was answered.
type backlogError struct {
	period   time.Duration
	answered uint64 // in the period
}

func (e *backlogError) Error() string {
	return fmt.Sprintf("answers in the measurement period of %v: found %d, all to operations "+
		"that were due before it, allowed: some to operations due in it; offer a lower rate, or "+
		"measure for longer", e.period, e.answered)
}

// windowGate refuses a closed loop whose session had fewer requests in flight than one window of
// batches holds, although it took no more. Such a session does not do what the point says.
// A thread that computes sends incomplete frames where a batch has several destinations. They fill
// a window with fewer requests.
func (r *loadRun) windowGate() error {
	if r.cfg.Compute > 0 && max(r.facts.Workers, 1)*r.cfg.Connections > 1 {
		return nil
	}
	if r.cfg.Replays() && r.facts.Reads != nil {
		return nil // operations of one key wait for each other
	}
	want := r.cfg.Batch * r.cfg.Window
	for _, l := range r.loaders {
		if l.deepest > 0 && l.deepest < want {
			return fmt.Errorf("thread %d: the session took no more requests with %d in flight, "+
				"allowed: %d or more, for window %d of batches of %d; mend the session of %s: "+
				"kvs/kvstest finds its fault",
				l.id, l.deepest, want, r.cfg.Window, r.cfg.Batch, r.facts.Store)
		}
	}
	return nil
}

// connectionsGate refuses a session that has other connections than it was asked for. The kernel
// counts them, for a transport of sockets.
func (t *thread) connectionsGate(s kvs.Session, f *kvs.Facts) error {
	if !strings.HasPrefix(f.Transport, "tcp") {
		return nil
	}
	found, want := s.Moved().Sockets.Sources, t.cfg.Connections*f.Workers
	if found == 0 || found == want { // 0: the kernel does not say
		return nil
	}
	return t.sessionError(fmt.Errorf("connections of the session: found %d, allowed: %d to each "+
		"of %d workers; mend the session of %s", found, t.cfg.Connections, f.Workers, f.Store))
}

// sampledMisses returns how many of the GETs may miss by chance, where each misses with the highest
// allowed probability: four standard deviations above the mean. It is 0 for a server that may lose
// nothing.
func sampledMisses(gets uint64, minHitRate float64) float64 {
	mean := float64(gets) * (1 - minHitRate)
	return mean + 4*math.Sqrt(mean)
}

// hitGate refuses more than most misses.
func (r *loadRun) hitGate(t tally, most float64, when string) error {
	if float64(t.gets-t.hits) <= most || r.mayExpire() || r.cfg.MayMiss() {
		return nil
	}
	return fmt.Errorf("%d of %d GETs found their key %s, a share of %.5f; this server (%s, %q "+
		"mode) must have %.5f: give it more room, ask for fewer keys, or let GETs miss: "+
		"on_miss allow",
		t.hits, t.gets, when, t.hitRate(), r.facts.Store, r.facts.Mode, r.facts.MinHitRate)
}

// clockTick is the resolution of the clock by which a server's items expire, at its coarsest.
const clockTick = time.Second

// mayExpire reports whether preloaded items may have expired. Those of another client are older
// than this run.
func (r *loadRun) mayExpire() bool {
	return r.cfg.TTL > 0 && (r.cfg.Preloaded || time.Since(r.begunAt) >= r.cfg.TTL-clockTick)
}

func (t *tally) hitRate() float64 {
	if t.gets == 0 {
		return 0
	}
	return float64(t.hits) / float64(t.gets)
}

func (r *loadRun) wrongAnswers(t tally) error {
	return fmt.Errorf("%s: %d of %d answers were wrong, or reported a failed operation. "+
		"Examples: %s",
		r.serverName(), t.errors, t.answered, strings.Join(r.examples(), "; "))
}

// examples returns the first errors in words.
func (r *loadRun) examples() []string {
	return r.words(func(t *thread) []string { return t.examples })
}

// words returns the first of the examples that the threads have kept.
func (r *loadRun) words(of func(*thread) []string) (list []string) {
	for _, t := range r.pool.threads {
		list = append(list, of(t)...)
	}
	return list[:min(len(list), maxExamples)]
}

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
