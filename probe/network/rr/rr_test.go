package rr

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"dpukv/internal/cpu"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/probe"
	"dpukv/results"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func settings(size, connections, rate int) probe.Settings {
	return probe.NewSettings([]probe.Setting{
		{Name: axisBytes, Value: strconv.Itoa(size)},
		{Name: axisConnections, Value: strconv.Itoa(connections)},
		{Name: axisRate, Value: strconv.Itoa(rate)},
	})
}

func task(s probe.Settings, duration time.Duration) *probe.Task {
	return &probe.Task{
		Settings: s, Warmup: 50 * time.Millisecond, Duration: duration, Seed: 7,
		Listen: "127.0.0.1:0",
	}
}

// start starts a server with limits that tests can wait for, and closes it at the end.
func start(t testing.TB, job *probe.Task) *server {
	t.Helper()
	return startWithin(t, job, limitsOf(job))
}

func startWithin(t testing.TB, job *probe.Task, l limits) *server {
	t.Helper()
	s := must.Get(serve(t.Context(), job, l))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	})
	job.Addr = s.Addr()
	return s
}

// TestLoopback measures each form of load, and holds the counts against one another.
func TestLoopback(t *testing.T) {
	for _, of := range []struct{ size, connections, rate int }{
		{1, 1, 0},
		{64, 1, 0},
		{MaxBytes, 1, 0},
		{1000, 5, 0},
		{MaxBytes, 9, 0},
		{16, 400, 0},
		{7, 1, 500},
		{1024, 8, 2000},
		{MaxBytes, 3, 200},
	} {
		t.Run(fmt.Sprintf("%d B, %d connections, rate %d", of.size, of.connections, of.rate), func(t *testing.T) {
			job := task(settings(of.size, of.connections, of.rate), 300*time.Millisecond)
			s := start(t, job)
			out := must.Get(Measure(t.Context(), job))(t)
			checkOutcome(t, out, job)
			if s.Facts()["bytes"] != strconv.Itoa(of.size) || s.CPUNs() <= 0 {
				t.Errorf("the server's facts: %v", s.Facts())
			}
			t.Logf("%.0f transactions/s, p50 %.1f µs, %.2f CPUs, %v", out.Figures[figureRate],
				out.Figures[figureP50]/1e3, float64(out.CPUNs)/float64(out.Duration), out.Warnings)
		})
	}
}

func checkOutcome(t *testing.T, out *probe.Outcome, job *probe.Task) {
	t.Helper()
	open := job.Settings.Int(axisRate) > 0
	actual := must.Get(results.MergeTag(out.Intervals, results.TagActual))(t)
	intended := must.Get(results.MergeTag(out.Intervals, results.TagIntended))(t)
	answers := int64(out.Figures[figureRate]*out.Duration.Seconds() + .5)
	switch {
	case answers == 0:
		t.Error("no answers")
	case !open && (actual.TotalCount() != answers || intended.TotalCount() != 0):
		t.Errorf("%d answers, %d actual and %d intended latencies", answers, actual.TotalCount(), intended.TotalCount())
	case open && strconv.FormatInt(intended.TotalCount(), 10) != out.Facts["messages"]:
		t.Errorf("%s messages, %d intended latencies", out.Facts["messages"], intended.TotalCount())
	}
	for _, name := range []string{figureMean, figureP50, figureP99, figureP999} {
		if out.Figures[name] <= 0 {
			t.Errorf("%s is %v", name, out.Figures[name])
		}
	}
	if out.CPUNs <= 0 {
		t.Error("no CPU time")
	}
	for _, s := range job.Settings.List() {
		if out.Facts[s.Name] != s.Value {
			t.Errorf("%s: asked %s, used %s", s.Name, s.Value, out.Facts[s.Name])
		}
	}
	if _, err := results.EncodeHlog(out.Intervals); err != nil {
		t.Error(err)
	}
}

// TestMoved: both kernels count the payload of all transactions, and the greeting.
func TestMoved(t *testing.T) {
	kernel.NeedTCPInfo(t)
	const size, connections = 3000, 3
	job := task(settings(size, connections, 0), 100*time.Millisecond)
	s := start(t, job)
	out := must.Get(Measure(t.Context(), job))(t)
	ours, theirs := out.Moved.Sockets, s.Moved().Sockets
	sent := ours.SentBytes - ours.ResentBytes - connections*uint64(helloBytes)
	got := ours.ReceivedBytes - connections*uint64(len(welcome))
	if ours.Sources != connections || sent != got || sent%size != 0 || sent == 0 {
		t.Errorf("sent %d, received %d in %+v", sent, got, ours)
	}
	if theirs.Sources != connections || !near(theirs.ReceivedBytes, ours.SentBytes-ours.ResentBytes) {
		t.Errorf("the client sent %+v, the server received %+v", ours, theirs)
	}
}

// near allows a byte for the end of each stream, which the kernel counts as received.
func near(received, sent uint64) bool { return received >= sent && received <= sent+3 }

// TestBegan: the measurement period is announced once.
func TestBegan(t *testing.T) {
	job := task(settings(1, 1, 0), 100*time.Millisecond)
	start(t, job)
	began := 0
	job.Began = func() { began++ }
	if _, err := Measure(t.Context(), job); err != nil || began != 1 {
		t.Errorf("began %d times, %v", began, err)
	}
}

// TestThreads: an end has no more threads than CPUs or connections.
func TestThreads(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	for _, of := range []struct{ connections, threads int }{{1, 1}, {1000, min(1000, len(allowed))}} {
		s := settings(1, of.connections, 0)
		o := must.Get(optionsOf(s))(t)
		seats, err := o.seats(allowed)
		if err != nil || len(seats) != of.threads || seats[0] != allowed[0] || Threads(s, true) < of.threads {
			t.Errorf("%d connections: seats %v, %d threads, %v", of.connections, seats, Threads(s, true), err)
		}
		if err := Examine(s, true); err != nil {
			t.Error(err)
		}
	}
}

// TestRefusedTasks: a task that can't be measured is refused before anything starts.
func TestRefusedTasks(t *testing.T) {
	for want, job := range map[string]*probe.Task{
		`bytes: found "0"`:       task(settings(0, 1, 0), time.Second),
		`bytes: found "65537"`:   task(settings(MaxBytes+1, 1, 0), time.Second),
		`connections: found "0"`: task(settings(1, 0, 0), time.Second),
		`rate: found "-1"`:       task(settings(1, 1, -1), time.Second),
		`duration: found 0s`:     task(settings(1, 1, 0), 0),
	} {
		if _, err := Measure(t.Context(), job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found %v", want, err)
		}
	}
	job := task(settings(1, 1, 0), time.Second)
	job.CPUs = []int{100_000}
	if _, err := Serve(t.Context(), job); err == nil || !strings.Contains(err.Error(), "pin to CPU 100000") {
		t.Errorf("found %v", err)
	}
	job = task(settings(1, 1, 0), time.Second)
	job.Listen = "nowhere"
	if _, err := Serve(t.Context(), job); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("found %v", err)
	}
}
