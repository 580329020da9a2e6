package client

import (
	"testing"

	"dpukv/kvs"
	"dpukv/load"
)

// TestLostSets: a server that confirms SETs and drops them fails the point: all of them, or a few.
func TestLostSets(t *testing.T) {
	for name, c := range map[string]struct {
		lose uint64
		dist load.Dist
	}{
		"all": {1, load.Uniform}, "one in 20": {20, load.Zipf(0.99)}, "in turn": {3, load.Sequential},
	} {
		if testing.Short() && name == "one in 20" {
			t.Log("a short run: no rare loss")
			continue
		}
		t.Run(name, func(t *testing.T) {
			r := newFakeRemote()
			leakFree(t, r)
			r.faults.lose = c.lose
			cfg := smallLoad(t)
			cfg.Dist = c.dist
			// How fast the machine is makes no difference. Which thread is first does: the rarer a loss,
			// the more requests.
			cfg.Requests, cfg.Duration = 100000*int(min(c.lose, 8)), 0
			mustFail(t, r, cfg, "older than a SET that the server had confirmed")
		})
	}
}

// TestComparedGets: a point tells how many GETs were compared, and the memory for it.
func TestComparedGets(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := smallLoad(t)
	cfg.Requests, cfg.Duration = 100000, 0
	p := mustRun(t, r, cfg).Point
	// Each of the two threads remembers 40 of the 5000 keys.
	if p.ComparedGets == 0 || p.ComparedGets > p.Gets/10 || p.VersionBytes != 2*40*24 {
		t.Errorf("%d of %d GETs were compared, with %d bytes", p.ComparedGets, p.Gets, p.VersionBytes)
	}
	cfg.GetRatio = 1
	if n := mustRun(t, r, cfg).Point.ComparedGets; n != 0 {
		t.Errorf("without a SET, %d GETs were compared", n)
	}
}

// TestVersions follows SETs of one key, and what a GET may find then. The thread is number 1 of 3, so
// it has the versions 2, 5, 8 …
func TestVersions(t *testing.T) {
	cfg := smallLoad(t)
	cfg.Threads, cfg.AllThreads = 2, 3
	const key = leastStride
	value := make([]byte, 8)
	found := func(v *versions, version uint32, sentNs int64) bool {
		load.FillValue(value, key, version)
		stale, _ := v.stale(key, &kvs.Answer{Value: value, SentNs: sentNs})
		return stale
	}
	v := newVersions(&cfg, 1)
	expect := func(version uint32, sentNs int64, want bool) {
		t.Helper()
		if found(&v, version, sentNs) != want {
			t.Errorf("version %d sent at %d: want stale %v, with %+v", version, sentNs, want, v.keys[1])
		}
	}
	v.stored(key, &kvs.Answer{ReceivedNs: 5}) // the preload's
	expect(0, 10, false)
	v.sends(key, 2)
	expect(0, 10, false)
	v.stored(key, &kvs.Answer{ReceivedNs: 20})
	expect(0, 20, false) // it may have left before
	expect(0, 21, true)
	expect(2, 21, false)
	expect(1, 21, false) // another thread's
	v.sends(key, 5)
	v.sends(key, 8)
	expect(2, 30, false)
	v.stored(key, &kvs.Answer{ReceivedNs: 40})
	expect(2, 50, false) // one of the two may have been the one before
	v.stored(key, &kvs.Answer{ReceivedNs: 60})
	expect(2, 61, true)
	expect(5, 61, false) // the two were in flight together
	expect(8, 61, false)
	expect(11, 61, true) // not sent yet
	expect(4, 61, false)
	if v.sends(key, lastVersion); found(&v, 0, 99) {
		t.Error("versions that begin again were compared")
	}
}

// TestVersionsAreBounded: the memory does not grow with the keys.
func TestVersionsAreBounded(t *testing.T) {
	cfg := smallLoad(t)
	cfg.AllThreads = 1
	for _, cfg.Keys = range []int{1, 15, 16, 17, 1e6, 1<<40 + 1} {
		v := newVersions(&cfg, 0)
		if n := len(v.keys); n < 1 || n > maxTracked {
			t.Errorf("%d keys: %d are tracked", cfg.Keys, n)
		}
		v.sends((uint64(cfg.Keys)-1)&^v.mask, 1)
	}
}
