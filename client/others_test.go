package client

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/load"
)

// roomyRemote is a fake server with room for so many items, that tells its room.
type roomyRemote struct {
	*fakeRemote
	items   uint64 // that fit
	evicted func(calls int) uint64
	calls   int
}

func (r *roomyRemote) Room() (kvs.Room, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := uint64(len(r.store))
	room := kvs.Room{Evicts: true, Parts: map[string]kvs.RoomPart{
		"": {UnitBytes: 100, Used: used, Free: max(r.items, used) - used},
	}}
	if r.calls++; r.evicted != nil {
		room.Evicted = r.evicted(r.calls)
	}
	return room, nil
}

// keyName is the name of a key of the small load.
func keyName(number uint64) string {
	name := make([]byte, 8)
	load.FillKey(name, number)
	return string(name)
}

// TestPreloadMeetsForeignKey: a preload overwrites no key that it has not stored, unless that was
// agreed to.
func TestPreloadMeetsForeignKey(t *testing.T) {
	for name, c := range map[string]struct {
		guard   *Guard
		foreign uint64
		works   bool
	}{
		"no guard":       {nil, 4321, true},
		"guarded":        {&Guard{}, 4321, false},
		"first":          {&Guard{}, 0, false},
		"agreed":         {&Guard{Overwrite: true}, 4321, true},
		"own":            {&Guard{Stored: 4322}, 4321, true},
		"behind own":     {&Guard{Stored: 4321}, 4321, false},
		"guarded, alone": {&Guard{}, testKeys, true},
	} {
		r := newFakeRemote()
		leakFree(t, r)
		r.store[keyName(c.foreign)] = []byte("theirs")
		cfg := smallLoad(t)
		cfg.Guard = c.guard
		_, err := Run(t.Context(), r, cfg)
		kept := string(r.store[keyName(c.foreign)]) == "theirs"
		if c.works {
			must.Do(t, err)
			continue
		}
		if !errors.As(err, new(*ForeignError)) || !kept {
			t.Errorf("%s: kept: %v; %v", name, kept, err)
		}
	}
}

// TestLoadLeavesRoom: a preload, and a load that fills, stop before they have used up the room.
func TestLoadLeavesRoom(t *testing.T) {
	const others = 1000
	for name, change := range map[string]func(r *roomyRemote, cfg *Config){
		"preload": func(r *roomyRemote, _ *Config) { r.items = others + 2*testKeys/3 },
		"fills": func(r *roomyRemote, cfg *Config) {
			// The room is used up once the load begins.
			r.items, cfg.OnMiss = others+testKeys+others, load.FillMisses
			cfg.OnProgress = func(p Progress) {
				if p.Phase == PhaseReady {
					r.mu.Lock()
					r.items = uint64(len(r.store))
					r.mu.Unlock()
				}
			}
			cfg.Requests, cfg.Duration = 0, 1<<40
		},
	} {
		r := &roomyRemote{fakeRemote: newFakeRemote()}
		r.latency = 1e6
		for i := range uint64(others) {
			r.store["theirs"+keyName(i)] = nil
		}
		cfg := smallLoad(t)
		change(r, &cfg)
		cfg.Guard = &Guard{}
		_, err := Run(t.Context(), r, cfg)
		must.Fail(t, err, "% of its room left")
		if n := uint64(len(r.store)); n > r.items {
			t.Errorf("%s: the server has %d items, and room for %d", name, n, r.items)
		}
	}
}

// TestOthersLose: evictions less own keys that are gone fail a load, or warn where they were agreed
// to. Without evictions nothing fails.
func TestOthersLose(t *testing.T) {
	for name, c := range map[string]struct {
		evicted uint64 // at the end
		gone    int    // of them own
		agreed  bool
		lost    uint64
	}{
		"nothing":      {},
		"others":       {evicted: 7, lost: 7},
		"own":          {evicted: 7, gone: 7, agreed: true},
		"some of each": {evicted: 7, gone: 3, agreed: true, lost: 4},
		"only expired": {gone: 3},
	} {
		r := &roomyRemote{fakeRemote: newFakeRemote(), items: 1 << 20}
		over := false
		r.evicted = func(int) uint64 {
			if over {
				return c.evicted
			}
			return 0
		}
		cfg := smallLoad(t)
		cfg.Guard = &Guard{EvictOthers: c.agreed}
		cfg.OnProgress = func(p Progress) {
			if p.Phase == PhaseDone {
				r.mu.Lock()
				defer r.mu.Unlock()
				for i := range uint64(c.gone) {
					delete(r.store, keyName(i))
				}
				over = true
			}
		}
		cfg.OnDone = func(context.Context) error { return nil }
		res, err := Run(t.Context(), r, cfg)
		if res.Lost != c.lost || errors.As(err, new(*LostError)) != (c.lost > 0 && !c.agreed) {
			t.Errorf("%s: lost %d, want %d: %v", name, res.Lost, c.lost, err)
		}
		if warned := strings.Contains(res.Point.Warnings.String(), "others lost"); warned != (c.lost > 0 && c.agreed) {
			t.Errorf("%s: warnings %v", name, res.Point.Warnings)
		}
	}
}
