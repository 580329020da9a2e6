package rawsocket

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"dpukv/internal/test/must"

	"golang.org/x/sys/unix"
)

// TestOthersRun checks that other goroutines run while a session waits on the only processor of
// Go's scheduler.
func TestOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, wait := range []time.Duration{500 * time.Microsecond, 20 * time.Millisecond, time.Hour} {
		var over atomic.Bool
		done := make(chan error, 1)
		go func() {
			p, err := NewPoller()
			for err == nil && !over.Load() {
				_, err = p.Wait(wait)
			}
			done <- err
			p.Close()
		}()
		runtime.Gosched() // it waits
		over.Store(true)
		must.Do(t, <-done)
	}
}

// TestWaitTells checks that a readable descriptor ends a short or long wait, and that Wait returns
// its number.
func TestWaitTells(t *testing.T) {
	p := must.Get(NewPoller())(t)
	defer p.Close()
	var fds [2]int
	must.Do(t, unix.Pipe2(fds[:], unix.O_CLOEXEC))
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	must.Do(t, p.Watch(unix.EPOLL_CTL_ADD, fds[0], 7, unix.EPOLLIN))
	for _, wait := range []time.Duration{0, 500 * time.Microsecond, 20 * time.Millisecond} {
		if events, err := p.Wait(wait); err != nil || len(events) != 0 {
			t.Fatalf("%v, with nothing to tell: %v, %v", wait, events, err)
		}
	}
	must.Get(unix.Write(fds[1], []byte{1}))(t)
	for _, wait := range []time.Duration{0, 500 * time.Microsecond, time.Hour} {
		if events, err := p.Wait(wait); err != nil || len(events) != 1 || events[0].Fd != 7 {
			t.Fatalf("%v: %v, %v", wait, events, err)
		}
	}
}
