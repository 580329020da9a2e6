package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/memcached"
	"dpukv/kvs/redis"
	"dpukv/placement/node"
	"dpukv/results"
)

// TestSweepOfInstalledStores measures a point of each, with the programs that are installed here.
func TestSweepOfInstalledStores(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	points := sweepOf(t, "stores: [mica, memcached, redis]\n"+smallLoad, "")
	if len(points) != 3 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		if p.Errors > 0 || p.Ops == 0 || p.Transport != "tcp" || p.ServerCPUNsPerOp <= 0 || p.PreloadHitRate != 1 && p.Store != "mica" {
			t.Errorf("%+v", p)
		}
		checkMoved(t, &p)
		if p.Store == "mica" {
			continue
		}
		if p.Hash != kvs.NoHash || p.ClientHashShareBy != "" {
			t.Errorf("%s: hash %q, a share of %v by %q", p.Store, p.Hash, p.ClientHashShare, p.ClientHashShareBy)
		}
		if len(p.ServerCommand) == 0 || p.ServerVersion == "" || p.Protocol == "" || len(p.ServerCPUs) == 0 {
			t.Errorf("%s does not say what was used: %q, %q, %q, %v", p.Store, p.ServerCommand, p.ServerVersion, p.Protocol, p.ServerCPUs)
		}
		if slices.ContainsFunc(p.Warnings, func(w string) bool { return strings.Contains(w, "not both pinned") }) {
			t.Errorf("%s: %q, and both are pinned", p.Store, p.Warnings)
		}
	}
}

// checkMoved holds what both ends' kernels counted of a load against each other.
func checkMoved(t *testing.T, p *results.Point) {
	t.Helper()
	client, server := &p.ClientMovedLoad.Sockets, &p.ServerMovedLoad.Sockets
	if client.Sources < 2 || server.Sources < client.Sources {
		t.Errorf("%s: %d sockets told at the client and %d at the server, want the sessions' and the one for counters at both",
			p.Store, client.Sources, server.Sources)
	}
	type bytes struct{ requests, answers uint64 }
	sent := bytes{client.SentBytes - client.ResentBytes, server.SentBytes - server.ResentBytes}
	if came := (bytes{server.ReceivedBytes, client.ReceivedBytes}); sent != came || sent.requests == 0 {
		t.Errorf("%s: sent were %+v, and %+v came", p.Store, sent, came)
	}
	if client.ResentPackets == 0 && strings.Contains(strings.Join(p.Warnings, ""), "network lost packets of the client") {
		t.Errorf("%s: nothing was sent again, and it says %q", p.Store, p.Warnings)
	}
}

// TestSweepOfProtocols: what a point says to have spoken is what was asked for.
func TestSweepOfProtocols(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	for sweep, want := range map[string][]string{
		"stores: memcached\nprotocol: [default, binary]\n": {"binary", "meta"},
		"stores: redis\nprotocol: [default, mget]\n":       {"resp3", "resp3+mget"},
	} {
		var got []string
		for _, p := range sweepOf(t, sweep+smallLoad, "") {
			got = append(got, p.Protocol)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q spoke %q, want %q", sweep, got, want)
		}
	}
}

// TestSweepAttached measures a server that runs already, and leaves it running; the run folder knows of it.
func TestSweepAttached(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	s, err := redis.Start(redis.Config{Listen: "127.0.0.1:0", Workers: 1, Mode: "store", Items: 5000, KeyBytes: 8, ValueBytes: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	points := sweepOf(t, "stores: redis\n"+smallLoad, s.Addr()) // nothing is said of the mode
	if len(points) != 1 || points[0].ServerAddr != s.Addr() || points[0].ServerCommand != nil || points[0].Mode != "store" ||
		!strings.Contains(strings.Join(points[0].Warnings, "; "), "ran already") {
		t.Errorf("%+v", points)
	}
	r, err := redis.Dial(t.Context(), s.Addr(), redis.Options{})
	if err != nil {
		t.Fatalf("the server ended with the sweep: %v", err)
	}
	r.Close()
}

// TestProgramMissing is told before anything starts.
func TestProgramMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	file := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(file, []byte("stores: [mica, redis]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr node.TailBuffer
	plan, err := NewPlan(Options{SweepFile: file, Dir: filepath.Join(t.TempDir(), "run"), Stdout: &stdout, Stderr: &stderr, plain: true})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := plan.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "sweep.yaml:1:16: stores: redis-server is not installed here") || sum.Begun() {
		t.Errorf("%+v, %v", sum, err)
	}
}

const smallLoad = "get_ratios: 0.95\nclient_threads: 1\nkeys: 5000\nduration: 300ms\nwarmup: 50ms\nrepeats: 1\n"

func needInstalled(t *testing.T) {
	t.Helper()
	for _, installed := range []func() (string, error){memcached.Installed, redis.Installed} {
		if _, err := installed(); err != nil {
			t.Skip(err)
		}
	}
}

// sweepOf runs a sweep on this machine and returns its points.
func sweepOf(t *testing.T, text, attach string) []results.Point {
	t.Helper()
	dir, file := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr node.TailBuffer
	o := Options{
		SweepFile: file, Dir: dir, Attach: attach, Version: "test", Stdout: &stdout, Stderr: &stderr,
		command: []string{os.Args[0], "node"}, plain: true,
	}
	plan, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Run(t.Context()); err != nil {
		t.Fatalf("%v%s", err, stderr.Lines())
	}
	o.SweepFile, o.Attach = "", ""
	again, err := NewPlan(o)
	if err != nil || again.sweep.Attach != attach {
		t.Errorf("continued, it would attach to %q, not %q (%v)", again.sweep.Attach, attach, err)
	}
	return readPoints(t, dir)
}
