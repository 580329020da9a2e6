package onesided

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/internal/machine"
	"dpukv/internal/test/must"
	"dpukv/kvs"
)

// gets is the number of GETs over shm that READs must answer. Slower models do a part of it.
var gets = flag.Int("gets", 0, "GETs by READ of each test over shm, of which slower models do a "+
	"part; 0: a million, and 100,000 in a short run")

// goal is the number of GETs of a model.
func (m *model) goal(t *testing.T) int {
	t.Helper()
	n := *gets
	if n == 0 && testing.Short() {
		n = 100_000
		t.Log("a short run: fewer GETs")
	} else if n == 0 {
		n = 1_000_000
	}
	if machine.Emulator() != "" {
		n /= 10
		t.Log("an emulated processor: a tenth of the GETs")
	}
	return n / m.slow
}

// hunt rewrites one hot key, or moves it, without a pause, while another goroutine gets it. It
// counts the answers of READs: those with parts of two values, and those without the item. It ends
// when there are enough of these.
func hunt(
	t *testing.T, r *rig, goal, enough int, rewrite func(n uint64),
) (answered, mixed, missed int) {
	t.Helper()
	begun := time.Now()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	key := []byte("hot key")
	batch := slices.Repeat([][]byte{key}, 8)
	rewrite(0)
	var stop atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := uint64(1); !stop.Load(); n++ {
			rewrite(n)
		}
	})
	var answers []kvs.Answer
	for answered < goal && missed+mixed < enough {
		var err error
		if answers, err = r.get(batch, answers[:0]); err != nil {
			t.Error(err)
			break
		}
		for i := range answers {
			answered++
			if answers[i].Status != kvs.OK {
				missed++
			} else if _, whole := number(answers[i].Value); !whole {
				mixed++
			}
		}
	}
	stop.Store(true)
	writer.Wait()
	all := answered + r.asked
	t.Logf("%d GETs by READ, %d mixed, %d missed; %.2f %% asked of the server, %.2f %% of READs "+
		"again; %v", answered, mixed, missed, 100*float64(r.asked)/float64(max(all, 1)),
		100*float64(r.counts.Retries)/float64(max(r.counts.Reads, 1)),
		time.Since(begun).Round(time.Millisecond))
	return answered, mixed, missed
}

// TestTorn gets a key that is rewritten without a pause, under every model of a device: with values
// in the item, and behind a pointer.
func TestTorn(t *testing.T) {
	for _, m := range models() {
		for _, size := range []int{InlineBytes, 200} {
			t.Run(fmt.Sprint(m.name, "/", size), func(t *testing.T) {
				r, goal := m.rig(t), m.goal(t)
				if size == InlineBytes && machine.Emulator() == "" { // also with slow devices
					if least := 100_000; !testing.Short() {
						goal = max(goal, least)
					} else {
						goal = least / 10
					}
				}
				_, mixed, missed := hunt(t, r, goal, 1, func(n uint64) {
					r.do(kvs.Set, []byte("hot key"), numbered(n, size))
				})
				if mixed+missed > 0 {
					t.Error("an answer is wrong")
				}
			})
		}
	}
}

// TestTornIsFound shows that TestTorn finds what it looks for: with "validate: none", answers
// have parts of two values.
func TestTornIsFound(t *testing.T) {
	for _, m := range models()[1:4] { // plain devices rarely show it
		t.Run(m.name, func(t *testing.T) {
			r := m.rig(t, func(c *kvs.ServerConfig) { c.ReadCheck = kvs.Unchecked })
			size := InlineBytes
			if m.name == "pcie" {
				size = 200 // an item is a line, which is copied faster than it changes
			}
			_, mixed, _ := hunt(t, r, 1_000_000, 1, func(n uint64) {
				r.do(kvs.Set, []byte("hot key"), numbered(n, size))
			})
			if mixed == 0 {
				t.Error("no answer was wrong without the checksum")
			}
		})
	}
}

// TestMovesAreFound shows why no item moves: a key that is always there, but moves from place to
// place, the copy first, is missed by READs whose bytes all have their checksum.
func TestMovesAreFound(t *testing.T) {
	for _, m := range models()[1:4] { // the plain device shows it by chance
		t.Run(m.name, func(t *testing.T) {
			r := m.rig(t)
			key := []byte("hot key")
			k, home := shorten(key), r.engine.table.home(hashOf(key))
			at := home
			_, _, missed := hunt(t, r, 1_000_000, 1, func(n uint64) {
				to := home + (at-home+3)%r.engine.table.Neighbourhood
				r.engine.table.set(to, &k, numbered(n, InlineBytes))
				if to != at && n > 0 {
					r.engine.table.clear(at)
				}
				at = to
			})
			if missed == 0 {
				t.Error("no READ missed a key that moves")
			}
		})
	}
}

// TestFlagAsks checks that a key without a place is never missed, whatever happens to its home.
func TestFlagAsks(t *testing.T) {
	cfg := testConfig()
	cfg.Items, cfg.Neighbourhood = 4, 2
	r := newRig(t, cfg, "shm", "shm")
	homes := map[int][][]byte{}
	for i := range 1000 {
		k := fmt.Appendf(nil, "key %d", i)
		h := r.engine.table.home(hashOf(k))
		homes[h] = append(homes[h], k)
	}
	keys := homes[0]
	if len(keys) < 5 {
		t.Fatalf("%d keys of a home", len(keys))
	}
	keys = keys[:5]
	for i, k := range keys {
		if got := r.do(kvs.Set, k, numbered(uint64(i), 8)); got != kvs.OK {
			t.Fatal(got)
		}
	}
	asks := func(key []byte) bool {
		before := r.asked
		must.Get(r.get([][]byte{key}, nil))(t)
		return r.asked > before
	}
	for i, k := range keys {
		if asks(k) != (i >= 2) {
			t.Errorf("key %d of two places: asks %v", i, asks(k))
		}
	}
	r.do(kvs.Delete, keys[0], nil)
	r.do(kvs.Set, keys[4], numbered(44, 8)) // stays where it is
	if !asks(keys[4]) || !asks(keys[0]) {
		t.Error("the flag is gone while keys of the home have no place")
	}
	for _, k := range keys[2:] {
		if got := r.do(kvs.Delete, k, nil); got != kvs.OK {
			t.Error(got)
		}
	}
	if asks(keys[4]) || asks(keys[0]) {
		t.Error("the flag is there without a key that needs it")
	}
}
