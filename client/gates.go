package client

import (
	"fmt"
	"math"
	"strings"
	"time"

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
