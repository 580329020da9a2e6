package shm

import (
	"errors"
	"testing"

	"dpukv/verbs"
)

// TestFailedRegionLeaksNothing checks failures of AllocMR: the kernel has no memory, or the table
// is full.
func TestFailedRegionLeaksNothing(t *testing.T) {
	d := openSmall(t)
	p := must[verbs.PD](t, "PD")(d.AllocPD())
	next, keys := d.heap.next, len(d.regions.free)
	d.populate = func([]byte, uint64, int) error { return errors.New("out of memory") }
	for range 3 * (1 << 20) / pageBytes {
		if _, err := p.AllocMR(3*pageBytes, 0); err == nil {
			t.Fatal("there was no memory")
		}
	}
	if d.heap.next != next || len(d.regions.free) != keys || len(d.heap.freed) != 0 {
		t.Errorf("heap at %d of %d, %d of %d keys, %d pieces", d.heap.next, next, len(d.regions.free), keys,
			len(d.heap.freed))
	}
	d.populate = populate
	d.regions.free = nil
	if _, err := p.AllocMR(pageBytes, 0); err == nil || d.heap.next != next {
		t.Errorf("%v, heap at %d of %d", err, d.heap.next, next)
	}
}

// TestUndoOfReusedRoom checks that reused room becomes free again at once.
func TestUndoOfReusedRoom(t *testing.T) {
	d := openSmall(t)
	h := &d.heap
	start := must[uint64](t, "alloc")(h.alloc(pageBytes))
	must[uint64](t, "alloc")(h.alloc(pageBytes))
	for range 2 {
		must[int](t, "undo")(0, h.undo(start, pageBytes))
		if again := must[uint64](t, "alloc")(h.alloc(pageBytes)); again != start {
			t.Fatalf("got %#x, want %#x", again, start)
		}
	}
}

// TestProtectionDomains checks that a queue pair reaches only regions of its own domain, at both
// ends.
func TestProtectionDomains(t *testing.T) {
	for _, kind := range []verbs.QPType{verbs.UC, verbs.RC} {
		a, b := pair(t, kind)
		mine := must[verbs.MR](t, "MR")(must[verbs.PD](t, "PD")(a.device.AllocPD()).AllocMR(64, verbs.LocalWrite))
		foreign := must[verbs.MR](t, "MR")(must[verbs.PD](t, "PD")(b.device.AllocPD()).AllocMR(64, verbs.RemoteWrite))
		fill(a.mr.Bytes(), 1)
		wr := a.write(b, 0, 64)
		wr.Remote, wr.RKey = foreign.Addr(), foreign.RKey()
		a.post(t, wr, wr)
		a.poll(t, 2)
		if foreign.Bytes()[0] != 0 {
			t.Errorf("%s: a region of another domain was written", kind)
		}
		if b.device.Counters()["bad_rkey"] == 0 {
			t.Errorf("%s: it was not counted", kind)
		}
		if kind == verbs.RC {
			continue // its queue pair has failed
		}
		wr = a.write(b, 0, 64)
		wr.Local = verbs.SGE{Addr: mine.Addr(), Length: 64, LKey: mine.LKey()}
		a.post(t, wr)
		if wc := a.poll(t, 1)[0]; wc.Status != verbs.StatusLocalProtect {
			t.Errorf("memory of another domain was sent: %s", wc.Status)
		}
	}
}
