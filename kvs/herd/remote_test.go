package herd

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	loadclient "dpukv/client"
	"dpukv/internal/test/must"
	"dpukv/kvs/kvstest"
	"dpukv/load"
	"dpukv/results"
	"dpukv/verbs"
	"dpukv/verbs/provider"
)

// telling is a device that reports the events that a test injects. Its provider alone cannot do
// that.
type telling struct {
	verbs.Device
	log    verbs.EventLog
	broken atomic.Bool
}

func (d *telling) opener(name string, opts *provider.Options) (_ verbs.Device, err error) {
	d.Device, err = openDevice(name, opts)
	return d, err
}

func (d *telling) Info() verbs.DeviceInfo {
	info := d.Device.Info()
	info.Name = "nic0"
	return info
}

func (d *telling) Events(since time.Time) []verbs.Event { return d.log.Since(since) }

func (d *telling) goesDown() { d.log.Add(verbs.Event{Kind: "port 1 went down", Serious: true}) }

var errBroken = errors.New("the device is broken")

func (d *telling) Progress() (bool, error) {
	if d.broken.Load() {
		return false, errBroken
	}
	return d.Device.Progress()
}

// underLoad runs a small load on a server, and calls a function in its measurement period.
func underLoad(t *testing.T, r *Remote, happens func()) (*results.Point, error) {
	t.Helper()
	result, err := loadclient.Run(t.Context(), r, loadclient.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 1000, KeyBytes: 16, ValueBytes: 32, GetRatio: .5, Seed: 1,
			},
			Connections: 1, Window: 2, Batch: 8, Hash: DefaultHash,
			Warmup: 10 * time.Millisecond,
		},
		Threads: 1, Duration: 300 * time.Millisecond,
		Interval: 50 * time.Millisecond, Timeout: 2 * time.Second,
		OnProgress: func(p loadclient.Progress) {
			if p.Phase == loadclient.PhaseMeasure && p.Elapsed == 0 {
				happens()
			}
		},
	})
	return &result.Point, err
}

// saysAll tells whether a text has all of these.
func saysAll(text string, all ...string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !strings.Contains(text, s) })
}

// TestTimeOutNamesEvents of both ends: all requests are lost from some time on.
func TestTimeOutNamesEvents(t *testing.T) {
	var here, there telling
	cfg := testConfig()
	cfg.open = there.opener
	server := startServer(t, cfg)
	here.goesDown() // before the run: of no interest
	there.goesDown()
	lossy := &faulty{}
	r := must.Get(Dial(t.Context(), server.Addr(),
		Options{open: func(name string, opts *provider.Options) (verbs.Device, error) {
			_, err := lossy.opener(name, opts)
			here.Device = lossy
			return &here, err
		}}))(t)
	defer r.Close()
	p, err := underLoad(t, r, func() {
		lossy.mu.Lock()
		lossy.lose = 1
		lossy.mu.Unlock()
		here.log.Add(verbs.Event{Kind: "port 1 has other GIDs"})
		there.goesDown()
	})
	if err == nil || !saysAll(p.Error, "no answer within", "; the client's device said: port 1 has other GIDs ",
		" s ago",
		"; the server's device nic0 said in the meantime: port 1 went down") || strings.Contains(p.Error, "times") {
		t.Errorf("found %v", err)
	}
}

// TestCloseEndsStats: a server that stands still keeps no Close waiting. Behind the relay it hears
// no more questions.
func TestCloseEndsStats(t *testing.T) {
	server := startServer(t, testConfig())
	asked := make(chan struct{})
	addr := kvstest.Listen(t, func(c net.Conn) {
		to, err := net.Dial("tcp", server.Addr())
		if err != nil {
			t.Error(err)
			return
		}
		defer to.Close()
		go func() { _, _ = io.Copy(c, to) }()
		if err := errors.Join(expect(c, kindHello, &hello{}), writeFrame(to, kindHello, hello{}),
			expect(c, kindAsk, &struct{}{})); err == nil {
			close(asked)
		}
		_, _ = io.Copy(io.Discard, c) // until the client hangs up
	})
	r := must.Get(Dial(t.Context(), addr, Options{}))(t)
	failed := make(chan error, 1)
	go func() {
		_, err := r.Stats()
		failed <- err
	}()
	<-asked
	must.Do(t, r.Close())
	if err := <-failed; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Stats ended with %v, want the end by Close", err)
	}
}

// TestServerThatEndsNamesEvents checks that clients receive the device's events when a worker's
// device fails.
func TestServerThatEndsNamesEvents(t *testing.T) {
	var there telling
	cfg := testConfig()
	cfg.open = there.opener
	server := startServer(t, cfg)
	r := dial(t, server)
	_, err := underLoad(t, r, func() {
		there.log.Add(verbs.Event{Kind: "device fatal", Serious: true})
		there.broken.Store(true)
	})
	if err == nil || !saysAll(err.Error(), " says: worker ",
		errBroken.Error()+"; the device said: device fatal ") {
		t.Errorf("found %v", err)
	}
	if err := server.Wait(); !errors.Is(err, errBroken) || !saysAll(err.Error(), "device fatal") {
		t.Errorf("the server: %v", err)
	}
}

// TestEventsAreWarnings checks that events become warnings of a successful point, and not of the
// next one.
func TestEventsAreWarnings(t *testing.T) {
	var here, there telling
	cfg := testConfig()
	cfg.open = there.opener
	server := startServer(t, cfg)
	r := must.Get(Dial(t.Context(), server.Addr(), Options{open: here.opener}))(t)
	defer r.Close()
	said := func(happens func()) (warnings []string) {
		for _, w := range must.Get(underLoad(t, r, happens))(t).Warnings {
			if strings.Contains(w.String(), " said ") {
				warnings = append(warnings, w.String())
			}
		}
		return warnings
	}
	want := []string{
		"the client's device nic0 said in the meantime: CQ overrun",
		"the server's device nic0 said in the meantime: port 1 went down, 2 times",
	}
	got := said(func() {
		here.log.Add(verbs.Event{Kind: "CQ overrun", Serious: true})
		here.log.Add(verbs.Event{Kind: "port 1 came up"})
		there.goesDown()
		there.goesDown()
	})
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := said(func() {}); len(got) > 0 {
		t.Errorf("the next point: %q", got)
	}
}

// TestRiggedPortGoesDown takes down the network device below an RDMA device under load. Package
// guest has a machine where that does no harm.
func TestRiggedPortGoesDown(t *testing.T) {
	link := os.Getenv("HERD_LINK")
	if link == "" {
		t.Skip("needs a machine whose link may go down: make test-rdma")
	}
	cfg := testConfig()
	cfg.Device, cfg.Workers = "ibverbs", 1
	server := startServer(t, cfg)
	r := must.Get(Dial(t.Context(), server.Addr(), Options{Device: "ibverbs"}))(t)
	defer r.Close()
	_, err := underLoad(t, r, func() {
		if out, err := exec.Command("ip", "link", "set", link, "down").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Log(err)
	if err == nil || !saysAll(err.Error(), "; the client's device said: port 1 went down ", "; the server's device ") {
		t.Errorf("found %v", err)
	}
}
