package perf

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dpukv/verbs"
)

// telling is a device with an event at the n-th call of Progress.
type telling struct {
	verbs.Device
	log    verbs.EventLog
	n      int
	event  verbs.Event
	broken error
}

func (d *telling) Events(since time.Time) []verbs.Event { return d.log.Since(since) }

func (d *telling) Progress() (bool, error) {
	if d.n--; d.n == 0 {
		d.log.Add(d.event)
	}
	if d.n <= 0 && d.broken != nil {
		return false, d.broken
	}
	return d.Device.Progress()
}

// connection is a side channel's.
func connection(t *testing.T) (here, there net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if here, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if there, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return here, there
}

// between runs a client and a server on a device each.
func between(t *testing.T, client, server verbs.Device, cfg Config) (report *Report, clientErr, serverErr error) {
	t.Helper()
	here, there := connection(t)
	served := make(chan error, 1)
	go func() {
		caller, err := greet(there)
		if err == nil {
			err = Serve(t.Context(), server, caller, Observer{})
		}
		there.Close()
		served <- err
	}()
	report, clientErr = Run(t.Context(), client, here, cfg, Observer{})
	here.Close()
	return report, clientErr, <-served
}

// TestErrorNamesEvents at the end whose device had them.
func TestErrorNamesEvents(t *testing.T) {
	broken := errors.New("the device is broken")
	event := verbs.Event{Kind: "port 1 went down", Serious: true}
	want := regexp.MustCompile(`; the device said: port 1 went down [0-9.]+ s ago$`)
	for name, ends := range map[string][2]*telling{
		"client": {{n: 5, event: event, broken: broken}, {}},
		"server": {{}, {n: 5, event: event, broken: broken}},
	} {
		if name == "server" && testing.Short() {
			t.Log("a short run: not the server, whose client waits for seconds")
			continue
		}
		for _, d := range ends {
			d.Device = openDevice(t, "shm")
		}
		_, here, there := between(t, ends[0], ends[1], small(Latency, Write, verbs.RC))
		failed, other := here, there
		if name == "server" {
			failed, other = there, here
		}
		if !errors.Is(failed, broken) || !want.MatchString(failed.Error()) {
			t.Errorf("%s: found %v, want %s", name, failed, want)
		}
		if other == nil || strings.Contains(other.Error(), "said") {
			t.Errorf("the other end of the %s: %v", name, other)
		}
	}
}

// TestEventsAreWarnings of the point in which they came.
func TestEventsAreWarnings(t *testing.T) {
	here := &telling{Device: openDevice(t, "shm"), n: 5, event: verbs.Event{Kind: "CQ overrun", Serious: true}}
	there := &telling{Device: openDevice(t, "shm"), n: 5, event: verbs.Event{Kind: "port 1 went down", Serious: true}}
	report, hereErr, thereErr := between(t, here, there, small(Latency, Write, verbs.RC))
	if hereErr != nil || thereErr != nil {
		t.Fatal(hereErr, thereErr)
	}
	want := []string{
		"the client's device " + here.Info().Name + " said in the meantime: CQ overrun",
		"the server's device " + there.Info().Name + " said in the meantime: port 1 went down",
	}
	var got []string
	for _, p := range report.Points {
		got = append(got, p.Warnings...)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestRiggedPortGoesDown takes down the network device below an RDMA device during a measurement.
// Package guest has a machine where that does no harm.
func TestRiggedPortGoesDown(t *testing.T) {
	link := os.Getenv("PERF_LINK")
	if link == "" {
		t.Skip("needs a machine whose link may go down: make test-rdma")
	}
	dev := openDevice(t, "ibverbs")
	cfg := small(Latency, Write, verbs.UC)
	// The port going down ends it: a command that a loaded machine starts late still finds it running.
	cfg.Sizes, cfg.Duration = []int{64}, 5*time.Minute
	report, err := Loopback(t.Context(), dev, cfg, Observer{Connected: func(*Header) {
		time.AfterFunc(time.Second/4, func() {
			if out, err := exec.Command("ip", "link", "set", link, "down").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}})
	t.Logf("%+v, %v", report, err)
	const want = "the device said: port 1 went down "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("found %v, want one with %q", err, want)
	}
}
