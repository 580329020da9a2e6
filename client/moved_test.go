package client

import "testing"

// TestPointHasWhatMoved: the three spans of a run, each within the one before.
func TestPointHasWhatMoved(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := smallLoad(t)
	cfg.Threads = 1 // the fake's sessions each count for all
	p := mustRun(t, r, cfg).Point
	whole, load, window := p.ClientMoved.Sockets, p.ClientMovedLoad.Sockets, p.ClientMovedWindow.Sockets
	all := r.stats.Ops
	if whole.SentDataPackets != all || whole.SentPackets != all+3 || whole.Sources != 2 {
		t.Errorf("the whole run moved %+v, want %d packets and the control connection's 3", whole, all)
	}
	if want := all - 2*testKeys; load.SentDataPackets != want || load.SentPackets != want {
		t.Errorf("the load moved %+v, want %d packets: all but the preload's and its check's", load, want)
	}
	if window.SentDataPackets == 0 || window.SentDataPackets > load.SentDataPackets {
		t.Errorf("the window moved %+v of %+v", window, load)
	}
}

// TestFailedPointHasWhatMoved: a run that ends early tells what crossed until then.
func TestFailedPointHasWhatMoved(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	r.faults.dieAt = 100
	cfg := smallLoad(t)
	cfg.Threads = 1
	p := mustFail(t, r, cfg, errDead.Error()).Point
	if p.ClientMoved.Sockets.SentDataPackets == 0 || p.ClientMovedLoad.Sockets.Sources != 0 {
		t.Errorf("the whole run moved %+v, its load %+v", p.ClientMoved, p.ClientMovedLoad)
	}
}
