package shm

import (
	"errors"
	"testing"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// TestFailedRegionLeaksNothing checks failures of AllocMR: the kernel has no memory, or the table
// is full.
func TestFailedRegionLeaksNothing(t *testing.T) {
	d := openSmall(t)
	p := must.Get(d.AllocPD())(t)
	keys := len(d.regions.free)
	d.populate = func(*arena, int, uint64, uint64) error { return errors.New("out of memory") }
	for range 3 * (1 << 20) / pageBytes {
		if _, err := p.AllocMR(3*pageBytes, 0); err == nil {
			t.Fatal("there was no memory")
		}
	}
	if len(d.regions.free) != keys {
		t.Errorf("%d of %d keys", len(d.regions.free), keys)
	}
	allFree(t, &d.heap)
	d.populate = populate
	d.regions.free = nil
	if _, err := p.AllocMR(pageBytes, 0); err == nil {
		t.Error("there was no key")
	}
	allFree(t, &d.heap)
}

// TestRegionIsBacked checks that AllocMR takes the memory of a region at once, also on kernels that do
// not know the advice for it. The heap begins on a page, whatever size pages have.
func TestRegionIsBacked(t *testing.T) {
	for name, back := range map[string]func(*arena, int, uint64, uint64) error{
		"advice":  populate,
		"reserve": func(_ *arena, fd int, start, size uint64) error { return reserve(fd, start, size) },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "advice" {
				kernel.NeedAdvice(t)
			}
			checkBacked(t, back)
		})
	}
}

func checkBacked(t *testing.T, back func(*arena, int, uint64, uint64) error) {
	t.Helper()
	d := openSmall(t)
	d.populate = back
	p := must.Get(d.AllocPD())(t)
	for _, pages := range []int{1, 3} {
		before := takenBytes(t, d)
		m := must.Get(p.AllocMR((pages-1)*pageBytes+1, 0))(t).(*mr)
		if m.start%uint64(pageBytes) != 0 {
			t.Errorf("a region at %#x, in the midst of a page", m.start)
		}
		if got := takenBytes(t, d) - before; got < int64(pages*pageBytes) {
			t.Errorf("a region of %d pages took %d bytes", pages, got)
		}
	}
}

// TestReserveFails checks that a failure is returned: the arena cannot grow.
func TestReserveFails(t *testing.T) {
	d := openSmall(t)
	if err := reserve(d.heap.fd, uint64(len(d.arena.mapped)), 1<<62); err == nil {
		t.Error("4 EiB behind the arena were taken")
	}
}

// takenBytes is the memory that a device's arena takes.
func takenBytes(t *testing.T, d *Device) int64 {
	t.Helper()
	var st unix.Stat_t
	must.Do(t, unix.Fstat(d.heap.fd, &st))
	return st.Blocks * 512
}

// TestProtectionDomains checks that a queue pair reaches only regions of its own domain, at both
// ends.
func TestProtectionDomains(t *testing.T) {
	for _, kind := range []verbs.QPType{verbs.UC, verbs.RC} {
		a, b := pair(t, kind)
		mine := must.Get(must.Get(a.device.AllocPD())(t).AllocMR(64, verbs.LocalWrite))(t)
		foreign := must.Get(must.Get(b.device.AllocPD())(t).AllocMR(64, verbs.RemoteWrite))(t)
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
