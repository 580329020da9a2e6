package mica

import (
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"

	"golang.org/x/sys/unix"
)

func polledConfig() Config {
	cfg := testConfig()
	cfg.Workers, cfg.Poll = 1, true
	return cfg
}

// TestWakeupStaysReadable: reads do not use it up, and it is never written.
func TestWakeupStaysReadable(t *testing.T) {
	ours, c, err := pair()
	must.Do(t, err)
	defer c.Close()
	must.Do(t, unix.Close(ours))
	must.Do(t, stayReadable(c.(*net.UnixConn)))
	raw := must.Get(c.(syscall.Conn).SyscallConn())(t)
	must.Do(t, raw.Control(func(fd uintptr) {
		for range 1000 {
			ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			if n, err := unix.Poll(ready, 0); n != 1 || err != nil {
				t.Fatalf("found %d, %v, want a readable descriptor", n, err)
			}
			if n, err := unix.Read(int(fd), make([]byte, 64)); n == 0 || err != nil {
				t.Fatalf("read %d bytes, %v", n, err)
			}
		}
	}))
}

// TestPollingServer: a server whose workers poll says so, counts the time without work, takes
// connections and refuses as another one, and its workers end with it.
func TestPollingServer(t *testing.T) {
	before := eventfds(t)
	cfg := polledConfig()
	cfg.MaxConnections = 3
	s := must.Get(Start(cfg))(t)
	r := must.Get(Dial(t.Context(), s.Addr()))(t)
	if f := r.Facts(); f.ServerWait != kvs.WaitPoll {
		t.Errorf("facts: found wait %q", f.ServerWait)
	}
	first := must.Get(r.Stats())(t).Workers[0]
	for _, wait := range []string{kvs.WaitSleep, kvs.WaitPoll} {
		session := must.Get(r.Open(kvs.SessionOptions{Batch: 2, Window: 1, Connections: 2, Wait: wait}))(t)
		if got := session.(kvs.Waiter).Waits(); got != wait {
			t.Errorf("asked the session for %s, found %s", wait, got)
		}
		do(t, session, []kvs.Request{
			{Op: kvs.Set, Key: key(1), Value: []byte("v")}, {Op: kvs.Get, Key: key(1)},
		})
		if _, err := r.Open(kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1}); err == nil {
			t.Error("a connection more than the server takes is not refused")
		}
		must.Do(t, session.Close())
		for connections(t, s) > 1 {
			runtime.Gosched()
		}
	}
	last := must.Get(r.Stats())(t).Workers[0]
	for last.SpunNs == first.SpunNs { // 16 turns without work
		last = must.Get(r.Stats())(t).Workers[0]
	}
	// What spins looks at the wall clock, and the CPU may go to others for a moment.
	if spun, used := last.SpunNs-first.SpunNs, last.CPUNs-first.CPUNs; last.Ops != 4 || spun > 2*used {
		t.Errorf("%d operations, %d ns of CPU time, %d of them without work", last.Ops, used, spun)
	}
	must.Do(t, r.Close())
	must.Do(t, s.Close())
	if n := eventfds(t); n > before {
		t.Errorf("%d eventfds are open, %d were before the server", n, before)
	}
}

// eventfds counts those of this process.
func eventfds(t *testing.T) (n int) {
	for _, fd := range must.Get(os.ReadDir("/proc/self/fd"))(t) {
		if is, _ := os.Readlink("/proc/self/fd/" + fd.Name()); is == "anon_inode:[eventfd]" {
			n++
		}
	}
	return n
}

// TestSleepingServerSpinsNot: the default has no such time, and says that it sleeps.
func TestSleepingServerSpinsNot(t *testing.T) {
	r := dial(t, startServer(t, testConfig()))
	session := kvstest.Open(t, r, kvs.SessionOptions{Batch: 1, Window: 1, Connections: 1})
	do(t, session, []kvs.Request{{Op: kvs.Get, Key: key(1)}})
	stats := must.Get(r.Stats())(t)
	if w := stats.Workers[0]; w.SpunNs != 0 || r.Facts().ServerWait != kvs.WaitSleep || len(stats.Warnings) > 0 {
		t.Errorf("wait %s, spun %d ns, %q", r.Facts().ServerWait, w.SpunNs, stats.Warnings)
	}
	if n := session.Traffic().SpunNs; n != 0 {
		t.Errorf("the session spun %d ns", n)
	}
}

// TestCrowdedPollers: workers that poll on fewer CPUs are named beside the counters.
func TestCrowdedPollers(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	cfg := polledConfig()
	cfg.Workers, cfg.CPUs = 2, allowed[:1]
	for _, poll := range []bool{true, false} {
		cfg.Poll = poll
		stats := must.Get(dial(t, startServer(t, cfg)).Stats())(t)
		said := strings.Join(stats.Warnings, "")
		if strings.Contains(said, "share CPUs, and poll: 2 threads on CPU") != poll {
			t.Errorf("poll %v: found the warnings %q", poll, said)
		}
	}
}

// TestPollerNaps: a worker without requests for long leaves its CPU to others.
func TestPollerNaps(t *testing.T) {
	r := dial(t, startServer(t, polledConfig()))
	for deadline := time.Now().Add(time.Minute); ; {
		a, begun := must.Get(r.Stats())(t).Workers[0], time.Now()
		time.Sleep(300 * time.Millisecond)
		b, span := must.Get(r.Stats())(t).Workers[0], time.Since(begun)
		if used := b.CPUNs - a.CPUNs; used < int64(span)*3/4 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it used its CPU for a minute without a request")
		}
	}
}
