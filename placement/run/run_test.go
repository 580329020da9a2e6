package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/placement/node"
	"dpukv/results"
	"dpukv/results/runfolder"
)

func runFake(t *testing.T, o Options) (Summary, error) {
	t.Helper()
	plan := must.Get(NewPlan(o))(t)
	return plan.Run(t.Context())
}

// isPointLine reports whether a line of progress is about a measured point.
func isPointLine(line []byte) bool { return bytes.Contains(line, []byte(", p50 ")) }

func readPoints(t *testing.T, dir string) []results.Point {
	t.Helper()
	run := must.Get(runfolder.Open(dir))(t)
	points, bad, err := run.Points()
	edited := func(b runfolder.BadLine) bool { return b.Edited } // by the test
	if bad = slices.DeleteFunc(bad, edited); err != nil || len(bad) > 0 {
		t.Fatal(err, bad)
	}
	return points
}

func TestSweepMeasuresEveryPoint(t *testing.T) {
	o, stderr, pids := fakeOptions(t, "")
	o.plain = false
	sum, err := runFake(t, o)
	if err != nil || sum.Measured != 4 || sum.Dir != o.Dir {
		t.Fatalf("got %+v, %v", sum, err)
	}
	for _, p := range readPoints(t, o.Dir) {
		if err := results.Validate(&p); err != nil || p.Status != results.StatusOK {
			t.Errorf("%v, %s", err, p.Error)
		}
		if p.ClientVersion != "test" || p.ServerVersion != "fake" || p.Placement != "CH-SH" || len(p.ServerCPUs) == 0 {
			t.Errorf("incomplete: %+v", p)
		}
	}
	run, _ := runfolder.Open(o.Dir)
	if env, _, err := run.Env(); err != nil || len(env) != 2 {
		t.Errorf("env.jsonl has %d lines, want one a node (%v)", len(env), err)
	}
	if figures, _ := filepath.Glob(filepath.Join(filepath.Join(run.Dir(), "figures"), "*.svg")); len(figures) == 0 {
		t.Error("no figures")
	}
	if got := strings.Count(stderr.Lines(), "1.00 Mops, p50 1.00 µs, p99 4.00 µs"); got != 4 {
		t.Errorf("%d lines of progress, want one a point:%s", got, stderr.Lines())
	}
	leaveNone(t, pids, 8)
}

// waited matches the length of a wait. It is longer than intended on a busy machine.
var waited = regexp.MustCompile(`nothing for [0-9.ms]+`)

func TestSweepGoesOnAfterAPointThatFails(t *testing.T) {
	for script, want := range map[string]string{
		"server@ready=die": "node server: asked to start the mica server, it ended with exit status " +
			"3; its last words:\n    some words\n    panic: at the end of its wits",
		"server@ready=failed":  "node server: the address is taken",
		"server@ready=hang":    "node server: nothing for a while when asked to start the mica server",
		"server@ready=garbage": `node server: asked to start the mica server, it sent "Segmentation fault, or was it a banner?", which is no message`,
		"server@ready=unknown": `node server: asked to start the mica server, it sent a message of the unknown type "greeting"`,
		"server@ready=malformed": "node server: asked to start the mica server, it sent a malformed " +
			"message of the type ready: json: cannot unmarshal number",
		"server@ready=nonsense": "node server: the server's facts: workers: found 4611686018427387904, " +
			"allowed: 0 to 65536",
		"server@ready=unexpected": "node server: asked to start the mica server, it answered with the " +
			"message go instead of ready",
		"server@serve=die,client@go=hang": "node server: asked to serve mica, it ended with exit status 3",
		"client@ready=die":                "node client: asked to preload 10 keys, it ended with exit status 3",
		"client@ready=hang":               "node client: nothing for a while when asked to preload 10 keys",
		"client@ready=failed preload":     "node client: only 3 of 10 keys were found",
		"client@go=die":                   "node client: asked to measure for 10ms, it ended with exit status 3",
		"client@go=quit":                  "node client: asked to measure for 10ms, it ended with exit status 0",
		"client@go=kill":                  "node client: asked to measure for 10ms, it was killed by signal 9",
		"client@go=hang":                  "node client: nothing for a while when asked to measure for 10ms",
		"client@go=deaf":                  "node client: nothing for a while when asked to measure for 10ms",
		"client@go=endless": "node client: asked to measure for 10ms, it sent a line that never ends: " +
			"found more bytes in a message, allowed: at most 16777216 bytes",
		"client@release=long point": " bytes as its point, allowed: at most 524288",
		"client@go=values": "node client: asked to measure for 10ms, it sent a message of about 200006 values, " +
			"allowed: at most 100000",
		"client@go=huge": "node client: asked to measure for 10ms, it sent a line that never ends: " +
			"found more bytes in a message, allowed: at most 16777216 bytes",
		"client@go=failed point":       "node client: some answers were wrong",
		"client@release=failed point":  "node client: some answers were wrong",
		"client@release=die":           "node client: asked to tell its result, it ended with exit status 3",
		"client@release=hang":          "node client: nothing for a while when asked to tell its result",
		"client@release=invalid point": "started_at: found nothing",
		"client@release=another point": "mode: asked for cache, used store; batch: asked for 64, used 7",
		"client@stop=hang":             "",
	} {
		if testing.Short() && script == "client@release=long point" {
			t.Log("a short run: no long point, which takes seconds")
			continue
		}
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, stderr, pids := fakeOptions(t, script)
			if !strings.Contains(script, "hang") && !strings.Contains(script, "deaf") {
				patient(&o) // an event ends the point
			}
			o.Only = "client_threads=1,get_ratio=1"
			sum, err := runFake(t, o)
			defer leaveNone(t, pids, 2)
			if want == "" {
				if err != nil {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(),
				"1 of 1 points failed; to try them again: dpukv sweep --resume --out "+o.Dir+
					" --only client_threads=1,get_ratio=1") {
				t.Fatalf("got %v", err)
			}
			for _, f := range sum.Failed {
				if got := waited.ReplaceAllString(f.Reason, "nothing for a while"); !strings.Contains(got, want) {
					t.Errorf("the reason is\n  %s, want it to hold\n  %s", got, want)
				}
			}
			if !strings.Contains(stderr.Lines(), "failed: "+sum.Failed[0].ID) {
				t.Errorf("stderr does not sum the failures up:%s", stderr.Lines())
			}
			for _, p := range readPoints(t, o.Dir) {
				if err := results.Validate(&p); err != nil || p.Status != results.StatusFailed {
					t.Errorf("the point is not a failed one: %s, %v", p.Status, err)
				}
				if p.Mode == "" || p.Access == "" {
					t.Errorf("the point tells mode %q and access %q", p.Mode, p.Access)
				}
			}
		})
	}
}

func TestSweepGivesUpWhenNothingStarts(t *testing.T) {
	for script, want := range map[string]string{
		"@hello=die": "node server: asked to say hello, it ended with exit status 3",
		"@hello=other build": "node server: its dpukv is another build (v9, another) than the one that sweeps " +
			"(test, ",
		"@hello=other protocol": "node server: its dpukv (v9) speaks protocol 99, this one (test) speaks " +
			strconv.Itoa(node.ProtocolVersion),
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, _, pids := fakeOptions(t, script)
			sum, err := runFake(t, o)
			if err == nil || !strings.Contains(err.Error(), "gave up after 3 points in a row did not start: "+want) ||
				len(sum.Failed) != 3 {
				t.Errorf("got %v after %d points", err, len(sum.Failed))
			}
			leaveNone(t, pids, 3)
		})
	}
	o, _, _ := fakeOptions(t, "")
	o.command = []string{"/nowhere/dpukv", "node"}
	_, err := runFake(t, o)
	must.Fail(t, err, "no such file")
}

func TestSweepContinuesWhereItWasInterrupted(t *testing.T) {
	o, _, pids := fakeOptions(t, "")
	plan := must.Get(NewPlan(o))(t)
	ctx, cancel := context.WithCancel(t.Context())
	plan.Options.Stderr = writerFunc(func(b []byte) (int, error) { // once the first point is measured
		if isPointLine(b) {
			cancel()
		}
		return len(b), nil
	})
	sum, err := plan.Run(ctx)
	if !errors.Is(err, ErrInterrupted) || sum.Measured != 1 {
		t.Fatalf("got %+v, %v", sum, err)
	}
	if want := "1 of 4 points are in " + o.Dir + "; continue with: dpukv sweep --resume --out " +
		o.Dir; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it to hold %s", err, want)
	}
	leaveNone(t, pids, 2)
	before := readPoints(t, o.Dir)

	o.SweepFile = "" // the folder has the sweep
	plan = must.Get(NewPlan(o))(t)
	var dry strings.Builder
	if err := DryRun(&dry, plan); err != nil ||
		!strings.Contains(dry.String(), "1 of 4 points are there already\n3 points in about") {
		t.Errorf("the dry run says\n%s, %v", dry.String(), err)
	}
	sum, err = runFake(t, o)
	if err != nil || sum.Before != 1 || sum.Measured != 3 {
		t.Fatalf("continued: got %+v, %v", sum, err)
	}
	if after := readPoints(t, o.Dir); len(after) != 4 || after[0].StartedAt != before[0].StartedAt {
		t.Errorf("%d points, and the first was touched: %v", len(after), after[0].StartedAt != before[0].StartedAt)
	}
	if sum, err = runFake(t, o); err != nil || sum.Before != 4 || sum.Measured != 0 {
		t.Errorf("when all is there: got %+v, %v", sum, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestPointsThatFailedAreMeasuredAgain(t *testing.T) {
	o, _, _ := fakeOptions(t, "client@go=failed point")
	if _, err := runFake(t, o); err == nil {
		t.Fatal("no failure")
	}
	o.command[3] = ""
	if sum, err := runFake(t, o); err != nil || sum.Measured != 4 || sum.Before != 0 {
		t.Errorf("got %+v, %v", sum, err)
	}
}

func TestPointsOfAnotherBuildAreNoted(t *testing.T) {
	o, stderr, _ := fakeOptions(t, "client@go=failed point")
	if _, err := runFake(t, o); err == nil {
		t.Fatal("no failure")
	}
	w := must.Get(runfolder.Resume(o.Dir))(t)
	must.Do(t, w.AppendEnv(nodeEnv{Node: "server", Version: "v0", Build: "older"}))
	w.Close()
	o.command[3] = ""
	if _, err := runFake(t, o); err != nil ||
		!strings.Contains(stderr.Lines(), "it has points of another build of dpukv (v0, older) than this one (test, ") {
		t.Errorf("got %v,%s", err, stderr.Lines())
	}
}

func TestRunFolderOfAnotherSweepIsRefused(t *testing.T) {
	o, _, _ := fakeOptions(t, "")
	must.Get(runFake(t, o))(t)
	other := o
	other.SweepFile, other.Quick = "", true
	_, err := NewPlan(other)
	for _, want := range []string{
		o.Dir + " holds a run of another sweep", "keys is [10] there, [1000000] here",
		"client_threads is [1, 2] there, [1, 2, 4] here",
	} {
		must.Fail(t, err, want)
	}
	other = o
	other.TestbedFile = filepath.Join(t.TempDir(), "bed.yaml")
	bed := "nodes:\n  client: {kind: host, cpus: 0}\n  server: {kind: host}\nclient_side: client\nserver_side: server\n"
	must.Do(t, os.WriteFile(other.TestbedFile, []byte(bed), 0o644))
	_, err = NewPlan(other)
	must.Fail(t, err, `node client is [kind: host, via: local, address: 127.0.0.1] there, [kind: host, via: local, address: 127.0.0.1, cpus: "0"] here`)
}

func TestUsageIsRefusedBeforeAnythingStarts(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"quick and a file": {Options{Quick: true, SweepFile: "x.yaml"}, "--quick is a sweep of its own"},
		"no such file":     {Options{SweepFile: "/nowhere/x.yaml"}, "/nowhere/x.yaml: no such file"},
		"no such testbed":  {Options{TestbedFile: "/nowhere/t.yaml"}, "/nowhere/t.yaml: no such file"},
		"only":             {Options{Only: "x=1"}, "--only: found the unknown key"},
	} {
		test.options.Dir = filepath.Join(t.TempDir(), "run")
		_, err := NewPlan(test.options)
		must.Fail(t, err, test.want)
		if _, err := os.Stat(test.options.Dir); err == nil {
			t.Errorf("%s: the run folder was made", name)
		}
	}
}

func TestNoProcessOutlivesAKilledOrchestrator(t *testing.T) {
	for _, script := range []string{"client@go=hang", "client@go=deaf"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, _, pids := fakeOptions(t, script)
			cmd := exec.Command(os.Args[0], "orchestrator", o.SweepFile, o.Dir, pids, script)
			must.Do(t, cmd.Start())
			for started := 0; started < 2; time.Sleep(10 * time.Millisecond) {
				files, _ := filepath.Glob(filepath.Join(pids, "pid*"))
				started = len(files)
			}
			time.Sleep(100 * time.Millisecond)
			cmd.Process.Kill()
			cmd.Wait()
			leaveNone(t, pids, 2)
		})
	}
}

// TestInterruptIsNoFailure: an interrupt ends each phase of a point with the command that continues.
// It blames no node, though each of them hangs.
func TestInterruptIsNoFailure(t *testing.T) {
	for _, script := range []string{
		"any@hello=hang", "server@ready=hang", "client@ready=hang", "client@preload=hang", "client@go=hang",
		"client@end load=hang", "client@release=hang",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			o, stderr, pids := fakeOptions(t, script)
			o.timeouts.Hello, o.timeouts.Server, o.timeouts.Client, o.timeouts.Result = time.Hour, time.Hour,
				time.Hour, time.Hour
			plan := must.Get(NewPlan(o))(t)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer cancel()
				for !hangs(pids) && ctx.Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
			}()
			sum, err := plan.Run(ctx)
			want := "interrupted: 0 of 4 points are in " + o.Dir +
				"; continue with: dpukv sweep --resume --out " + o.Dir
			if !errors.Is(err, ErrInterrupted) || err.Error() != want || len(sum.Failed) > 0 {
				t.Errorf("got %+v, %v", sum, err)
			}
			if strings.Contains(stderr.Lines(), "failed") || len(readPoints(t, o.Dir)) > 0 {
				t.Errorf("a point failed:%s", stderr.Lines())
			}
			leaveNone(t, pids, 1)
		})
	}
}

// hangs reports whether a fake node hangs.
func hangs(pids string) bool {
	events, _ := os.ReadFile(filepath.Join(pids, "events"))
	return bytes.Contains(events, []byte("hang\n"))
}

// TestSlowPreloadIsNoFailure: a client that stores further keys may take longer than the time limit.
// One that stores none may not.
func TestSlowPreloadIsNoFailure(t *testing.T) {
	o, _, pids := fakeOptions(t, "client@preload=slow")
	o.Only, o.timeouts.Client = "client_threads=1,get_ratio=1", briefly/2
	if sum, err := runFake(t, o); err != nil || sum.Measured != 1 {
		t.Errorf("got %+v, %v", sum, err)
	}
	leaveNone(t, pids, 2)
	o, _, pids = fakeOptions(t, "client@preload=stuck")
	o.Only, o.timeouts.Client = "client_threads=1,get_ratio=1", briefly/2
	sum, err := runFake(t, o)
	if err == nil || len(sum.Failed) != 1 ||
		!strings.Contains(sum.Failed[0].Reason, "when asked to preload 10 keys") {
		t.Errorf("got %+v, %v", sum, err)
	}
	leaveNone(t, pids, 2)
}

func TestDryRunTellsAllAndDoesNothing(t *testing.T) {
	o, _, pids := fakeOptions(t, "")
	plan := must.Get(NewPlan(o))(t)
	var out strings.Builder
	must.Do(t, DryRun(&out, plan))
	must.Contain(t, out.String(),
		"fake-node "+pids, "[4/4] mica-CH-SH-off-path-get", "4 points in about 2s",
		"CH-SH: server on server (CPU ", "repeat 1, in the order of measurement, which the seed shuffles:\n[1/4] ",
		"of that, 0s are load; ")
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("the run folder was made")
	}
	leaveNone(t, pids, 0)
}

// TestSweepGoesOnWithoutALostNode: a node that does not start is given up after three points. The
// points that don't need it are measured.
func TestSweepGoesOnWithoutALostNode(t *testing.T) {
	programs.Need(t, "ssh")
	o, stderr, pids := fakeOptions(t, "")
	bed := "nodes:\n  a: {}\n  b: {}\n  gone: {via: ssh, ssh_config: /dev/null, host: 127.0.0.1, port: 1, address: " +
		"127.0.0.1}\nclient_side: a\nserver_side: b\n" +
		"placements:\n  GONE-SH: {clients: [a, gone], server: b}\n"
	sweep := "placement: [CH-SH, GONE-SH]\nget_ratio: [1, 0.5]\nclient_threads: [1, 2, 3]\nduration: 10ms\nwarmup: " +
		"0s\nrepeats: 1\nkeys: 10\n"
	write(t, &o, sweep, bed)
	sum, err := runFake(t, o)
	want := "3 points that need it were not tried; when that is mended: dpukv sweep --resume --out " + o.Dir
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "node gone: ") {
		t.Errorf("got %v, want %q with the node's name", err, want)
	}
	if sum.Measured != 6 || len(sum.Failed) != 3 || sum.Skipped != 3 {
		t.Errorf("got %+v%s", sum, stderr.Lines())
	}
	for _, f := range sum.Failed {
		if !strings.Contains(f.ID, "GONE-SH") || !strings.Contains(f.Reason, "node gone: ") {
			t.Errorf("failed: %+v", f)
		}
	}
	leaveNone(t, pids, 12)
}

// TestNoLoadEndsBeforeAllHaveMeasured: of two clients, the first one's measurement period ends
// earlier.
func TestNoLoadEndsBeforeAllHaveMeasured(t *testing.T) {
	o, _, pids := fakeOptions(t, "")
	bed := "nodes: {a: {}, b: {}, c: {}}\nclient_side: a\nserver_side: b\n" +
		"placements:\n  TWO-SH: {clients: [a, c], server: b}\n"
	sweep := "placement: TWO-SH\nget_ratio: 1\nclient_threads: 1\nduration: 500ms\nwarmup: 0s\nrepeats: 1\nkeys: 10\n"
	write(t, &o, sweep, bed)
	// Fake clients have no clock, so their shares cannot be merged.
	_, err := runFake(t, o)
	must.Fail(t, err, "1 of 1 points failed")
	events, err := os.ReadFile(filepath.Join(pids, "events"))
	if want := "period over\nperiod over\nend load\nend load\n"; err != nil || string(events) != want {
		t.Errorf("found %q, %v, want %q", events, err, want)
	}
	leaveNone(t, pids, 3)
}
