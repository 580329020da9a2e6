package client

import (
	"strings"
	"testing"
)

// TestPointHasWhatMoved: a run has three spans, each within the one before.
func TestPointHasWhatMoved(t *testing.T) {
	r := newFakeRemote()
	leakFree(t, r)
	cfg := periodLoad(t)
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

// TestFailedPointHasWhatMoved: a run that ends early reports its traffic until then.
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

// TestLossIsWarnedOf: above a limit, TCP's retransmissions make the network part of the figure.
func TestLossIsWarnedOf(t *testing.T) {
	for every, want := range map[uint64]string{
		50:     "the network lost or delayed packets of the client",
		100000: "", // below the limit: nothing is said
	} {
		r := newFakeRemote()
		leakFree(t, r)
		r.faults.resend = every
		cfg := periodLoad(t)
		cfg.Threads = 1
		p := mustRun(t, r, cfg).Point
		all := p.Warnings.String()
		if said := strings.Contains(all, "the network"); said != (want != "") || !strings.Contains(all, want) {
			t.Errorf("one in %d sent again, in a window of %+v: got the warnings %q, want %q",
				every, p.ClientMovedWindow.Sockets, p.Warnings, want)
		}
	}
}
