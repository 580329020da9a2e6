package run

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/kvs"
	"dpukv/kvs/memcached"
	"dpukv/kvs/redis"
	"dpukv/load/trace"
	"dpukv/placement/node"
	"dpukv/results"
	"dpukv/results/runfolder"
)

// TestSweepOfMICA kills a sweep half-way, continues it, and checks its measurements.
func TestSweepOfMICA(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	o := realOptions(t, "get_ratio: [1, 0.5]\nclient_threads: [1, 2]\nkeys: 5000\nduration: 300ms\nwarmup: 50ms\n"+
		"repeats: 1\n", "")
	killHalfWay(t, o.SweepFile, o.Dir)
	before := readPoints(t, o.Dir)
	sum, err := runFake(t, o)
	if err != nil || sum.Before != len(before) || sum.Measured != 4-len(before) {
		t.Fatalf("got %+v, %v%s", sum, err, o.Stderr.(*node.TailBuffer).Lines())
	}
	if table := o.Stdout.(*node.TailBuffer).Lines(); !strings.Contains(table, "CH-SH") {
		t.Errorf("no table on stdout:%s", table)
	}
	run := must.Get(runfolder.Open(o.Dir))(t)
	for _, p := range readPoints(t, o.Dir) {
		checkMICAPoint(t, run, &p)
	}
}

// killHalfWay starts a sweep in another process and kills it once a point is in the folder.
func killHalfWay(t *testing.T, sweep, dir string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "orchestrator", sweep, dir, "", "")
	var stderr node.TailBuffer
	cmd.Stderr = &stderr
	must.Do(t, cmd.Start())
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if data, _ := os.ReadFile(filepath.Join(dir, "points.jsonl")); strings.Contains(string(data), "\n") {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("no point within 30 s:%s", stderr.Lines())
			break
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
}

func checkMICAPoint(t *testing.T, run *runfolder.Run, p *results.Point) {
	t.Helper()
	if err := results.Validate(p); err != nil || p.Status != results.StatusOK {
		t.Errorf("%s: %v, %s", p.ID, err, p.Error)
		return
	}
	if p.Transport != "tcp" || p.Mode != "cache" || p.Access != "erew" || p.ServerAddr == "" ||
		p.PreloadHitRate < 0.99 {
		t.Errorf("%s: transport %q, mode %q, access %q, server %q, hits after the preload %v", p.ID, p.Transport,
			p.Mode, p.Access, p.ServerAddr, p.PreloadHitRate)
	}
	if p.Errors > 0 || p.ServerCPUNsPerOp <= 0 || p.ClientCPUNsPerOp <= 0 {
		t.Errorf("%s: %d errors, %v and %v CPU ns an operation", p.ID, p.Errors, p.ServerCPUNsPerOp, p.ClientCPUNsPerOp)
	}
	// The share of GETs is random. The bound is six standard deviations, for the few operations of
	// a busy machine as for the many of an idle one.
	off := 6 * math.Sqrt(p.GetRatio*(1-p.GetRatio)/float64(p.Ops))
	if share := float64(p.Gets) / float64(p.Ops); share < p.GetRatio-off || share > p.GetRatio+off {
		t.Errorf("%s: a GET share of %.3f was measured, %v was asked for", p.ID, share, p.GetRatio)
	}
	if len(allowedCPUs(t)) > 1 && slices.Equal(p.ServerCPUs, p.ClientCPUs) {
		t.Errorf("%s: both ends ran on CPUs %v", p.ID, p.ServerCPUs)
	}
	intervals, err := run.Histograms(p.ID)
	if err != nil {
		t.Error(err)
		return
	}
	h, err := results.MergeTag(intervals, results.TagIntended)
	want := p.Ops + p.LateOps + p.UnsentOps + p.UnansweredOps
	if err != nil || uint64(h.TotalCount()) != want {
		t.Errorf("%s: the histograms hold %d operations, the point %d (%v)", p.ID, h.TotalCount(), want, err)
	}
}

func TestFullDiskEndsTheSweepAndLosesNothing(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("dpukv-test", disk, "tmpfs", 0, "size=48k"); err != nil {
		t.Skipf("no full disk to test with: mounting a tmpfs: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(disk, unix.MNT_DETACH) }) // open folders stay in use
	o, _, pids := fakeOptions(t, "")
	o.Dir = filepath.Join(disk, "run")
	write(t, &o, "batch: ["+counted(30)+
		"]\nclient_threads: 1\nget_ratio: 1\nduration: 10ms\nwarmup: 0s\nrepeats: 1\nkeys: 10\n", "")
	sum, err := runFake(t, o)
	for _, want := range []string{
		"the sweep ends here", "no space left on device", o.Dir,
		"when there is room: dpukv sweep --resume --out " + o.Dir,
	} {
		must.Fail(t, err, want)
	}
	if got := len(readPoints(t, o.Dir)); got != sum.Measured || got == 0 || got == 30 {
		t.Errorf("%d points are in the folder, %d were measured", got, sum.Measured)
	}
	leaveNone(t, pids, 2)
}

// TestSweepOfInstalledStores measures a point of each store whose program is installed here.
func TestSweepOfInstalledStores(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	points := sweepOf(t, "store: [mica, memcached, redis]\n"+smallLoad, "")
	if len(points) != 3 {
		t.Fatalf("%d points", len(points))
	}
	for _, p := range points {
		if p.Errors > 0 || p.Ops == 0 || p.Transport != "tcp" || p.ServerCPUNsPerOp <= 0 || p.PreloadHitRate != 1 &&
			p.Store != "mica" {
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
			t.Errorf("%s does not say what was used: %q, %q, %q, %v", p.Store, p.ServerCommand, p.ServerVersion,
				p.Protocol, p.ServerCPUs)
		}
		if strings.Contains(p.Warnings.String(), "not both pinned") {
			t.Errorf("%s: %q, and both are pinned", p.Store, p.Warnings)
		}
	}
}

// checkMoved compares the counts of both ends' kernels for a load.
func checkMoved(t *testing.T, p *results.Point) {
	t.Helper()
	client, server := &p.ClientMovedLoad.Sockets, &p.ServerMovedLoad.Sockets
	if client.Sources < 2 || server.Sources < client.Sources {
		t.Errorf("%s: %d sockets told at the client and %d at the server, want the sessions' and the one for "+
			"counters at both",
			p.Store, client.Sources, server.Sources)
	}
	type bytes struct{ requests, answers uint64 }
	sent := bytes{client.SentBytes - client.ResentBytes, server.SentBytes - server.ResentBytes}
	if came := (bytes{server.ReceivedBytes, client.ReceivedBytes}); sent != came || sent.requests == 0 {
		t.Errorf("%s: sent were %+v, and %+v came", p.Store, sent, came)
	}
	if client.ResentPackets == 0 &&
		strings.Contains(p.Warnings.String(), "network lost or delayed packets of the client") {
		t.Errorf("%s: nothing was sent again, and it says %q", p.Store, p.Warnings)
	}
}

// TestSweepOfProtocols: a point reports the protocol that was asked for.
func TestSweepOfProtocols(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	for sweep, want := range map[string][]string{
		"store: memcached\nprotocol: [default, binary]\n": {"binary", "meta"},
		"store: redis\nprotocol: [default, mget]\n":       {"resp3", "resp3+mget"},
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

// TestSweepAttached measures a running server, and leaves it running. The run folder records that.
func TestSweepAttached(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	s := must.Get(redis.Store.Start(&kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Setup: kvs.Setup{Mode: "store"}, Items: 5000, KeyBytes: 8,
		ValueBytes: 8,
	}))(t)
	defer s.Close()
	points := sweepOf(t, "store: redis\n"+smallLoad, s.Addr()) // the sweep names no mode
	if len(points) != 1 || points[0].ServerAddr != s.Addr() || points[0].ServerCommand != nil ||
		points[0].Mode != "store" ||
		!strings.Contains(points[0].Warnings.String(), "ran already") {
		t.Errorf("%+v", points)
	}
	r, err := redis.Dial(t.Context(), s.Addr(), redis.Options{})
	if err != nil {
		t.Fatalf("the server ended with the sweep: %v", err)
	}
	r.Close()
}

// TestTraceAttached: a trace's keys go from a running server after each point, so that the next one
// finds what the first did. Those of others stay.
func TestTraceAttached(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	needInstalled(t)
	s := must.Get(redis.Store.Start(&kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Setup: kvs.Setup{Mode: "store"}, Items: 5000, KeyBytes: 8, ValueBytes: 8,
	}))(t)
	defer s.Close()
	path := filepath.Join(t.TempDir(), "x.trace")
	w := must.Get(trace.Create(path))(t)
	for i := range uint64(2000) {
		op := []kvs.Op{kvs.Get, kvs.Set, kvs.Get}[i%3] // of each key: a miss, a SET, a hit
		must.Do(t, w.Write(&trace.Record{AtNs: int64(i), Key: i / 3, KeyBytes: 8, ValueBytes: 9, Op: op}))
	}
	must.Get(w.Finish(trace.Summary{}))(t)
	points := sweepOf(t, "store: redis\nclient_threads: 1\ntrace_speed: 0\nrepeats: 3\ntrace: "+path+"\n", s.Addr())
	for _, p := range points {
		if len(points) != 3 || p.Misses != 667 || p.Hits != 666 || p.TraceFile.SHA256 != points[0].TraceFile.SHA256 {
			t.Errorf("%s of %d points: %d misses, %d hits, %+v", p.ID, len(points), p.Misses, p.Hits, p.TraceFile)
		}
	}
	r := must.Get(redis.Dial(t.Context(), s.Addr(), redis.Options{}))(t)
	defer r.Close()
	if stats := must.Get(r.Stats())(t); stats.Workers[0].Items != 0 {
		t.Errorf("%d keys are left", stats.Workers[0].Items)
	}
}

const smallLoad = "get_ratio: 0.95\nclient_threads: 1\nkeys: 5000\nduration: 300ms\nwarmup: 50ms\nrepeats: 1\n"

func needInstalled(t *testing.T) {
	t.Helper()
	for _, installed := range []func() (string, error){memcached.Store.Program, redis.Store.Program} {
		_, err := installed()
		programs.NeedFound(t, err)
	}
}

// sweepOf runs a sweep on this machine and returns its points.
func sweepOf(t *testing.T, text, attach string) []results.Point {
	t.Helper()
	o := realOptions(t, text, "")
	o.Attach = attach
	if _, err := runFake(t, o); err != nil {
		t.Fatalf("%v%s", err, o.Stderr.(*node.TailBuffer).Lines())
	}
	o.SweepFile, o.Attach = "", ""
	again, err := NewPlan(o)
	if err != nil || again.sweep.Attach != attach {
		t.Errorf("continued, it would attach to %q, not %q (%v)", again.sweep.Attach, attach, err)
	}
	return readPoints(t, o.Dir)
}

// TestSweepOfBothStores measures a point of each.
func TestSweepOfBothStores(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	points := sweepOf(t, "store: [mica, herd]\n"+smallLoad, "")
	if len(points) != 2 {
		t.Errorf("%d points, want one of each", len(points))
	}
	for _, p := range points {
		want := [2]string{"tcp", ""}
		if p.Store == "herd" {
			want = [2]string{"rdma", "shm"}
		}
		if got := [2]string{p.Transport, p.Provider}; got != want || p.Emulated != (p.Store == "herd") ||
			p.Errors > 0 || p.Ops == 0 {
			t.Errorf("%+v", p)
		}
	}
}

// TestSweepOfTwoClients: each of two clients keeps up its load until both have measured.
func TestSweepOfTwoClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	o := realOptions(t, "placement: [TWO-SH, ONE-SH]\nget_ratio: 1\nclient_threads: 1\nkeys: 5000\nduration: 2s\n"+
		"repeats: 1\n",
		"nodes: {a: {}, b: {}, c: {}}\nclient_side: a\nserver_side: b\n"+
			"placements:\n  TWO-SH: {clients: [a, c], server: b}\n  ONE-SH: {clients: a, server: b}\n")
	runAll(t, o)
	for _, p := range readPoints(t, o.Dir) {
		if several := len(p.Clients) == 2; (p.CoolDownNs > 0) != several || several != (p.Placement == "TWO-SH") {
			t.Errorf("%s: %d clients, a cool-down of %d ns: %q", p.ID, len(p.Clients), p.CoolDownNs, p.Warnings)
		}
	}
}

// counted lists the numbers up to n.
func counted(n int) string {
	var list []string
	for i := range n {
		list = append(list, strconv.Itoa(i+1))
	}
	return strings.Join(list, ", ")
}
