package cpu

import (
	"os"
	"runtime"
	"testing"
	"time"

	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

func TestParseThread(t *testing.T) {
	const line = "77 (mc (x) worker) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 10 0 100\n"
	got, ok := parseThread(line)
	if want := (Thread{77, "mc (x) worker", 3_000_000_000}); !ok || got != want {
		t.Errorf("got %+v, %v, want %+v", got, ok, want)
	}
	for _, text := range []string{"", "77", "77 (x", "77 (x) S 1 2 3", "x (y) S 1 2 3 4 5 6 7 8 9 10 250 50"} {
		if got, ok := parseThread(text); ok {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestThreadsOf: the list has the time of a thread of this process that worked.
func TestThreadsOf(t *testing.T) {
	const used = int64(100 * time.Millisecond)
	id, end := make(chan int), make(chan bool)
	go func() { // its thread ends with it
		runtime.LockOSThread()
		for start := ThreadNs(); ThreadNs() < start+used; {
		}
		id <- unix.Gettid()
		<-end
	}()
	want := <-id
	defer close(end)
	list := must.Get(ThreadsOf(os.Getpid()))(t)
	for _, thread := range list {
		if thread.ID == want && thread.CPUNs >= used/2 {
			return
		}
	}
	t.Errorf("thread %d used %d ns; got %+v", want, used, list)
}

func TestBusiestOf(t *testing.T) {
	before := []Thread{{1, "a", 100}, {2, "b", 900}, {3, "ended", 0}}
	after := []Thread{{1, "a", 160}, {2, "b", 910}, {4, "new", 5000}}
	if most, all := BusiestOf(before, after); most != 60 || all != 70 {
		t.Errorf("got %d of %d, want 60 of 70", most, all)
	}
	if most, all := BusiestOf(nil, after); most != 0 || all != 0 {
		t.Errorf("got %d of %d without a first list", most, all)
	}
}
