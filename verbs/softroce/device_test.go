package softroce

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/verbs"

	"golang.org/x/sys/unix"
)

func TestOpenRefuses(t *testing.T) {
	taken := openTest(t, Options{})
	for name, opts := range map[string]Options{
		"no address":       {},
		"any address":      {Addr: netip.IPv4Unspecified()},
		"IPv6":             {Addr: netip.IPv6Loopback()},
		"not ours":         {Addr: netip.MustParseAddr("203.0.113.7")},
		"not ours, MTU":    {Addr: netip.MustParseAddr("203.0.113.7"), MTU: 1024},
		"address taken":    {Addr: taken.opts.Addr},
		"odd MTU":          {Addr: testAddr(), MTU: 1500},
		"negative buffers": {Addr: testAddr(), SocketBuffers: -1},
	} {
		d, err := Open(opts)
		if err == nil {
			d.Close()
			t.Errorf("%s: was opened", name)
		} else if d != nil {
			t.Errorf("%s: an error, and a device", name)
		}
		t.Logf("%s: %v", name, err)
	}
}

func TestPort(t *testing.T) {
	d := openTest(t, Options{})
	p := must.Get(d.Port())(t)
	if p.MTU != 4096 || p.LinkLayer != verbs.LinkEthernet || p.GID.Addr() != d.opts.Addr || !p.Active {
		t.Errorf("port %+v", p)
	}
	if i := d.Info(); i.Provider != "softroce" || !i.Emulated || !strings.Contains(i.Name, d.opts.Addr.String()) {
		t.Errorf("info %+v", i)
	}
}

func TestFitMTU(t *testing.T) {
	for ip, want := range map[int]int{
		65536: 4096, 9000: 4096, 4200: 4096, 4175: 2048, 1500: 1024, 1400: 1024, 576: 256,
		335: 0,
	} {
		if got, err := fitMTU(ip); got != want || (err == nil) != (want > 0) {
			t.Errorf("fitMTU(%d) = %d, %v, want %d", ip, got, err, want)
		}
	}
}

// TestOneCallEachWay checks that a batch is one system call each way.
func TestOneCallEachWay(t *testing.T) {
	a, b := pair(t, verbs.UC, Options{}, Options{})
	if strings.Contains(a.dev.Info().Name, "without") {
		t.Skip(a.dev.Info().Name)
	}
	var wrs []verbs.SendWR
	for i := range 32 {
		wrs = append(wrs, a.write(0, 64*i, 50))
	}
	a.post(wrs...)
	drain(t, b)
	if c := a.dev.Counters(); c["tx_syscalls"] != 1 || c["tx_trains"] != 1 || c["tx_packets"] != 32 {
		t.Errorf("sender: %v", c)
	}
	if c := b.dev.Counters(); c["rx_syscalls"] != 1 || c["rx_packets"] != 32 || c["ip_ids_solved"] != 0 {
		t.Errorf("receiver: %v", c)
	}
}

// TestWithoutOffload checks that everything works without segmentation or coalescing, and that the
// name says so.
func TestWithoutOffload(t *testing.T) {
	for name, test := range map[string]struct {
		hooks   hooks
		calls   uint64
		mention string
	}{
		"no segmentation": {hooks{noGSO: true}, 1, "without UDP segmentation"}, // one sendmmsg still
		"no coalescing":   {hooks{noGRO: true}, 1, "without UDP receive coalescing"},
		"segmentation refused on the way out": {hooks{sending: func(_ *path, count int) error {
			if count > 1 {
				return unix.EIO
			}
			return nil
		}}, 33, "without UDP segmentation"},
		"queue full": {hooks{sending: busy(3)}, 4, "softroce"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, verbs.UC, Options{hooks: test.hooks}, Options{hooks: test.hooks})
			fill(a.mr.Bytes(), 1)
			var wrs []verbs.SendWR
			for i := range 32 {
				wrs = append(wrs, a.write(uint64(i), 50*i, 50))
			}
			a.post(wrs...)
			drain(t, b)
			if !bytes.Equal(a.mr.Bytes()[:1600], b.mr.Bytes()[:1600]) || dropped(b.dev) != 0 {
				t.Errorf("memory differs, or %v", b.dev.Counters())
			}
			if name := a.dev.Info().Name; !strings.Contains(name, test.mention) {
				t.Errorf("name %q", name)
			}
			if c := a.dev.Counters(); c["tx_syscalls"] != test.calls {
				t.Errorf("%v", c)
			}
		})
	}
}

// busy makes a queue that is full the first n times.
func busy(n int) func(*path, int) error {
	return func(*path, int) error {
		if n--; n >= 0 {
			return unix.ENOBUFS
		}
		return nil
	}
}

func TestCQOverrun(t *testing.T) {
	a, _ := pairOf(t, verbs.UC, Options{}, Options{}, sizes{memory: 4096, queue: 16, depth: 4})
	for i := range 6 {
		a.post(a.write(uint64(i), 0, 8))
	}
	wcs := make([]verbs.WC, 8)
	if n, err := a.sendCQ.Poll(wcs); n != 4 || err != nil {
		t.Errorf("first Poll: %d, %v", n, err)
	}
	if n, err := a.sendCQ.Poll(wcs); n != 0 || err == nil {
		t.Errorf("second Poll: %d, %v", n, err)
	}
	if e := a.dev.Events(time.Time{}); len(e) != 1 || e[0].Kind != "CQ overrun" || !e[0].Serious {
		t.Errorf("events %+v", e)
	}
}

func TestReceiveQueueFull(t *testing.T) {
	a, _ := pairOf(t, verbs.UD, Options{}, Options{}, sizes{memory: 4096, queue: 4, depth: 4})
	n, err := a.qp.PostRecv(make([]verbs.RecvWR, 6))
	if n != 4 || !errors.Is(err, verbs.ErrQueueFull) {
		t.Errorf("took %d of 6 into a queue of 4: %v", n, err)
	}
}

// TestWaitEnds checks that Wait ends at a packet, at the time limit, and when the device closes.
func TestWaitEnds(t *testing.T) {
	checkLeaks(t)
	a, b := pair(t, verbs.UC, Options{}, Options{})
	must.Do(t, b.dev.Wait(time.Millisecond))
	time.AfterFunc(20*time.Millisecond, func() { a.post(a.write(0, 0, 8)) })
	if err := b.dev.Wait(time.Hour); err != nil {
		t.Errorf("a packet did not end the wait: %v", err)
	}
	drain(t, b)
	time.AfterFunc(20*time.Millisecond, func() { b.dev.Close() })
	var err error
	for err == nil { // a signal may end a wait as well
		err = b.dev.Wait(time.Hour)
	}
	if !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("Close did not end the wait: %v", err)
	}
}

// TestWaitEndsForTimer checks that a device waits no longer than until RC must send again.
func TestWaitEndsForTimer(t *testing.T) {
	a, b := pair(t, verbs.RC, Options{AckTimeout: 5 * time.Millisecond}, Options{})
	b.qp.Close()
	a.post(a.write(0, 0, 8))
	if err := a.dev.Wait(time.Hour); err != nil {
		t.Error(err)
	}
}

func TestClosed(t *testing.T) {
	a, _ := pair(t, verbs.UC, Options{}, Options{})
	must.Do(t, a.dev.Close())
	_, err1 := a.dev.Progress()
	_, err2 := a.dev.AllocPD()
	_, err3 := a.dev.CreateCQ(1)
	_, err4 := a.dev.Port()
	_, err5 := a.pd.AllocMR(64, 0)
	_, err6 := a.recvCQ.Poll(make([]verbs.WC, 1))
	_, err7 := a.qp.PostRecv([]verbs.RecvWR{{}})
	_, err8 := a.qp.PostSend([]verbs.SendWR{{Op: verbs.OpWrite}})
	for i, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("call %d on a closed device: %v", i+1, err)
		}
	}
	for i, c := range []interface{ Close() error }{a.qp, a.mr, a.sendCQ, a.pd, a.dev} {
		if err := c.Close(); err != nil {
			t.Errorf("close %d after the device: %v", i, err)
		}
	}
}

// TestManyGoroutines lets goroutines use one device in each way, while regions and QPs come and go.
func TestManyGoroutines(t *testing.T) {
	checkLeaks(t)
	here, there := openTest(t, Options{}), openTest(t, Options{})
	var team sync.WaitGroup
	for w := range 4 {
		typ := []verbs.QPType{verbs.UC, verbs.RC}[w%2]
		a, b := newSide(t, here, typ, testSizes), newSide(t, there, typ, testSizes)
		connect(t, a, b)
		team.Go(func() { hammer(t, a, b, byte(w)) })
	}
	team.Go(func() {
		pd := must.Get(there.AllocPD())(t)
		for range 50 {
			m, err := pd.AllocMR(4096, verbs.RemoteWrite)
			if err == nil {
				err = m.Close()
			}
			if err != nil {
				t.Error(err)
			}
			there.Counters()
		}
	})
	team.Wait()
}

func hammer(t *testing.T, a, b *side, seed byte) {
	for round := range 40 {
		fill(a.mr.Bytes()[:4096], seed+byte(round))
		b.postRecv(uint64(round), 8192, 64)
		last := a.write(1, 4096, 8)
		last.Op, last.Imm = verbs.OpWriteImm, uint32(round)
		a.post(a.write(0, 0, 4096), last)
		completions(t, a.sendCQ, 2, a, b)
		if wc := completions(t, b.recvCQ, 1, a, b)[0]; wc.Imm != uint32(round) {
			t.Errorf("immediate %d, want %d", wc.Imm, round)
		}
		if !bytes.Equal(a.mr.Bytes()[:4096], b.mr.Bytes()[:4096]) {
			t.Error("memory differs")
		}
	}
}
