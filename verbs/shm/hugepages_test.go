package shm

import (
	"testing"

	"dpukv/internal/machine"
	"dpukv/internal/offheap"
	"dpukv/internal/test/must"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

// TestHugePages: both ends map an arena where huge pages fit, and a large region tells the kind of
// its pages. It holds what is written, at each end.
func TestHugePages(t *testing.T) {
	huge := offheap.TransparentBytes()
	d := must.Keep(Open(Config{ArenaBytes: 8*huge + pageBytes}))(t)
	if at := uintptr(d.arena.base); at%uintptr(huge) != 0 {
		t.Errorf("the arena begins at %#x, want a multiple of %d", at, huge)
	}
	p := must.Get(d.AllocPD())(t)
	small := must.Get(p.AllocMR(pageBytes, verbs.LocalWrite))(t).(*mr)
	if got := small.Backing().Kind; got != offheap.Small {
		t.Errorf("a page lies on %s", got)
	}
	if huge > 2<<20 {
		t.Skipf("huge pages of %d MiB: the rest would take gigabytes", huge>>20)
	}
	m := must.Get(p.AllocMR(5*huge, verbs.LocalWrite|verbs.RemoteRead))(t).(*mr)
	fill(m.Bytes(), 7)
	peer := must.Get(openArena(d.handle))(t)
	if at := uintptr(peer.base); at%uintptr(huge) != 0 {
		t.Errorf("the peer's mapping begins at %#x, want a multiple of %d", at, huge)
	}
	for i, b := range m.Bytes() {
		if got := peer.mapped[m.start+uint64(i)]; got != b {
			t.Fatalf("byte %d: found %d, want %d", i, got, b)
		}
	}
	must.Do(t, peer.unmap())
	want := offheap.THP
	if machine.Emulator() != "" || !collapses(t, huge) {
		want = offheap.Small
	}
	if got := m.Backing().Kind; got != want {
		t.Errorf("the region lies on %s, want %s", got, want)
	}
	must.Do(t, m.Close())
}

// collapses reports whether the kernel follows the advice for ordinary memory.
func collapses(t *testing.T, huge int) bool {
	t.Helper()
	m := must.Get(unix.Mmap(-1, 0, 3*huge, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
	fill(m, 1)
	err := unix.Madvise(m, unix.MADV_COLLAPSE)
	must.Do(t, unix.Munmap(m))
	return err == nil
}
