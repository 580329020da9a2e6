package network

import (
	"slices"
	"testing"
	"time"

	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/probe"
)

// TestAxes: without values there is one point of each test, with the axes of that test.
func TestAxes(t *testing.T) {
	want := []probe.Settings{
		"test=stream cores=1 write_bytes=131072 direction=up",
		"test=rr bytes=64 connections=1 rate=0",
	}
	if got := Kind.All(nil); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	values := map[string][]string{"test": {"stream"}, "cores": {"1", "2"}, "direction": {"down"}}
	got := Kind.All(values)
	if len(got) != 2 || got[1] != "test=stream cores=2 write_bytes=131072 direction=down" {
		t.Errorf("got %q", got)
	}
	for _, a := range Kind.Axes {
		for _, word := range a.Default {
			if canonical, err := a.Codec.Canonical(word); err != nil || canonical != word {
				t.Errorf("%s: default %q: got %q, %v", a.Name, word, canonical, err)
			}
		}
	}
}

// TestFigures: each figure is there once, and the main one is the bandwidth.
func TestFigures(t *testing.T) {
	var names []string
	for _, f := range Kind.Figures {
		if slices.Contains(names, f.Name) || f.Title == "" {
			t.Errorf("got the figure %+v", f)
		}
		names = append(names, f.Name)
	}
	if names[0] != "bytes_per_s" || !slices.Contains(names, "p50_latency_ns") ||
		!slices.Contains(names, "client_cpus") || !slices.Contains(names, "server_cpus") {
		t.Errorf("got %q", names)
	}
}

// TestTests measures a point of each test over loopback. Each figure is a figure of the kind.
func TestTests(t *testing.T) {
	kernel.NeedTCPInfo(t)
	for _, s := range Kind.All(nil) {
		t.Run(string(s), func(t *testing.T) {
			programs.NeedFound(t, Kind.Examine(s, true))
			task := &probe.Task{Settings: s, Listen: "127.0.0.1:0", Duration: time.Second}
			if d := Kind.Expect(s, 0, time.Second); d < time.Second || Kind.Threads(s, true) != 1 {
				t.Errorf("expects %v and %d threads", d, Kind.Threads(s, true))
			}
			srv := must.Get(Kind.Serve(t.Context(), task))(t)
			defer srv.Close()
			task.Addr = srv.Addr()
			out := must.Get(Kind.Measure(t.Context(), task))(t)
			for name := range out.Figures {
				known := func(f probe.Figure) bool { return f.Name == name }
				if !slices.ContainsFunc(Kind.Figures, known) {
					t.Errorf("found the unknown figure %s", name)
				}
			}
			if out.CPUNs <= 0 || len(out.Figures) == 0 || out.Moved.Sockets.Sources == 0 {
				t.Errorf("got %+v", out)
			}
		})
	}
}
