package emulate

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// transfer sends n random bytes over TCP from one machine to the other, which echoes them.
func transfer(t *testing.T, l *Lab, from, to string, n int) {
	t.Helper()
	var server net.Listener
	var err error
	on(t, l, to, func() { server, err = net.Listen("tcp4", l.Address(to)+":0") })
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		if c, err := server.Accept(); err == nil {
			io.Copy(c, c)
			c.Close()
		}
	}()
	var c net.Conn
	on(t, l, from, func() { c, err = net.DialTimeout("tcp4", server.Addr().String(), 5*time.Second) })
	if err != nil {
		t.Fatalf("%s to %s: %v", from, to, err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	sent := make([]byte, n)
	rand.Read(sent)
	go func() {
		c.Write(sent)
		c.(*net.TCPConn).CloseWrite()
	}()
	if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("%s to %s: %d bytes of %d came back right (%v)", from, to, len(got), n, err)
	}
}

func counters(t *testing.T, l *Lab) map[string]Counters {
	t.Helper()
	return must.Get(l.AllCounters())(t)
}

// TestWays sends from each machine to each other one, and finds the way in every interface's
// counters.
func TestWays(t *testing.T) {
	t.Parallel()
	l := startLab(t, study(NoProfile))
	const n, noise = 1 << 20, 2 << 10 // a broadcast for an address reaches all machines
	side := func(machine string) string { return machine[len(machine)-1:] }
	for _, from := range l.Facts().Machines {
		for _, to := range l.Facts().Machines {
			if from.Name == to.Name {
				continue
			}
			before := counters(t, l)
			transfer(t, l, from.Name, to.Name, n)
			for name, after := range counters(t, l) {
				machine, port, _ := strings.Cut(name, "/")
				carries := machine == from.Name || machine == to.Name || port == wire &&
					side(from.Name) != side(to.Name)
				if port == "pf0" || port == "dpu0" {
					continue // the far ends of the machines' own
				}
				rx, tx := after.RxBytes-before[name].RxBytes, after.TxBytes-before[name].TxBytes
				if carries && min(rx, tx) < n || !carries && max(rx, tx) > noise {
					t.Errorf("%s to %s: %s received %d and sent %d bytes", from.Name, to.Name, name, rx, tx)
				}
			}
		}
	}
}

// TestIdle: an idle lab's counters count nothing.
func TestIdle(t *testing.T) {
	l := startLab(t, study(NoProfile))
	before := counters(t, l)
	time.Sleep(300 * time.Millisecond)
	for name, after := range counters(t, l) {
		if after != before[name] {
			t.Errorf("%s: %+v, before %+v", name, after, before[name])
		}
	}
}

// silent expects that a machine does not answer host-a.
func silent(t *testing.T, l *Lab, machine string) {
	t.Helper()
	var err error
	on(t, l, "host-a", func() {
		_, err = net.DialTimeout("tcp4", l.Address(machine)+":1", 200*time.Millisecond)
	})
	if e, ok := err.(net.Error); !ok || !e.Timeout() {
		t.Errorf("%s answers: %v", machine, err)
	}
}

// TestCutOff: a machine that is cut off is silent, not absent. The others go on.
func TestCutOff(t *testing.T) {
	t.Parallel()
	l := startLab(t, study(NoProfile))
	for range 2 {
		must.Do(t, l.CutOff("dpu-b"))
		silent(t, l, "dpu-b")
		transfer(t, l, "host-a", "host-b", 1000)
		must.Do(t, l.Restore("dpu-b"))
		must.Do(t, l.Await(t.Context(), "host-a", "dpu-b"))
		transfer(t, l, "host-a", "dpu-b", 1000)
	}
}

// TestSideBySide: two labs have the same addresses and do not see each other.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	one, other := startLab(t, study("bf2")), startLab(t, study("bf2"))
	before := counters(t, other)
	transfer(t, one, "host-a", "dpu-b", 1<<16)
	for name, after := range counters(t, other) {
		if after != before[name] {
			t.Errorf("the other lab's %s: %+v, before %+v", name, after, before[name])
		}
	}
	must.Do(t, one.Close())
	transfer(t, other, "host-a", "dpu-b", 1<<16)
}

// TestManySides connects more than two hosts through a switch.
func TestManySides(t *testing.T) {
	t.Parallel()
	l := startLab(t, Spec{Machines: []Machine{
		{Name: "a", Kind: Host},
		{Name: "b", Kind: Host},
		{Name: "b-dpu", Kind: DPU, Of: "b"},
		{Name: "b-dpu2", Kind: DPU, Of: "b"},
		{Name: "c", Kind: Host, Direct: true},
	}})
	transfer(t, l, "a", "b-dpu2", 1000)
	transfer(t, l, "b-dpu", "c", 1000)
}

// TestAlone: a host without a DPU and a peer has an address, and no machine to reach.
func TestAlone(t *testing.T) {
	t.Parallel()
	l := startLab(t, Spec{Machines: []Machine{{Name: "a", Kind: Host}}})
	transfer(t, l, "a", "a", 1000)
}

// TestConcurrent makes all calls at once, for the race detector.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	l := startLab(t, study("bf3"))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := range 10 {
				_, err1 := l.SetCores("dpu-a", 1+n%4)
				_, err2 := l.Counters("dpu-a")
				_, err3 := l.Argv("dpu-b", nil)
				err4, err5 := l.CutOff("host-b"), l.Restore("host-b")
				if err := errors.Join(err1, err2, err3, err4, err5); err != nil || l.Facts().Machines[i].Name == "" ||
					l.Address("host-a") == "" {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
