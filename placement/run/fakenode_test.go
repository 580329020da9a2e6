package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/killed"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/placement/neighbour"
	"dpukv/placement/node"
	"dpukv/results"
)

// fault is a fake node's fault: its place and its kind.
type fault struct{ role, step, how string }

// otherDpukv is a word of the scripts of nodes that are another build.
const otherDpukv = "other dpukv"

// groupVariable names the cgroup whose memory a fake node eats.
const groupVariable = "DPUKV_FAKE_GROUP"

// buildVariable has the digest of this binary: reading it is half of what a fake node does.
const buildVariable = "DPUKV_FAKE_BUILD"

// script is a list of faults, as in "server@serve=die,client@go=hang".
type script []fault

func parseScript(text string) script {
	var s script
	for part := range strings.SplitSeq(text, ",") {
		role, rest, _ := strings.Cut(part, "@")
		step, how, _ := strings.Cut(rest, "=")
		s = append(s, fault{role, step, how})
	}
	return s
}

// fakeNode speaks the protocol like a node, does none of the work, and misbehaves as the script
// says. It leaves its process ID in dir.
func fakeNode(dir, text string) int {
	pid := strconv.Itoa(os.Getpid())
	if err := os.WriteFile(filepath.Join(dir, "pid"+pid), nil, 0o644); err != nil {
		return 9
	}
	f := parseScript(text)
	eventsOf = dir
	out := node.MessageWriter{W: os.Stdout}
	inbox := make(chan node.Message)
	go func() {
		node.ReadMessages(os.Stdin, func(m node.Message) bool { inbox <- m; return true })
		if !strings.Contains(text, "deaf") { // a deaf node does not even hear its stdin end
			os.Exit(0)
		}
	}()
	build := os.Getenv(buildVariable)
	f.misbehave("", "hello", &out)
	version := "fake"
	if strings.Contains(text, otherDpukv) {
		version, build = "v9", "0123456789abcdef"
	}
	out.Send(&node.Hello{Protocol: node.ProtocolVersion, Version: version, Build: build, Killed: killed.Now()})
	part, ok := (<-inbox).(*node.Configure)
	if !ok { // stop: it was only asked about itself
		return 0
	}
	if part.Neighbour != nil {
		f.misbehave("neighbour", "ready", &out)
		out.Send(&node.Counted{Neighbour: &neighbour.Count{AtNs: 1}})
		time.AfterFunc(50*time.Millisecond, func() { f.misbehave("neighbour", "work", &out) })
	} else if part.Server != nil || part.Proxy != nil {
		role := "server"
		if part.Proxy != nil {
			role = kvs.PartProxy
		} else if part.Server.Half != "" {
			role = part.Server.Half
		}
		f.misbehave(role, "ready", &out)
		out.Send(&node.Ready{Addr: "127.0.0.1:1", Facts: kvs.Facts{Store: "mica", Transport: "tcp", Version: "fake"}})
		time.AfterFunc(50*time.Millisecond, func() { f.misbehave(role, "serve", &out) })
	} else {
		configured = part.Client
		f.misbehave("client", "ready", &out)
		out.Send(&node.Progress{Phase: "preload", Done: 1, Total: 10})
		f.misbehave("client", "preload", &out)
		out.Send(&node.Ready{Addr: part.Client.Addr})
	}
	for m := range inbox {
		switch m.(type) {
		case *node.Begin:
			time.Sleep(part.Client.Duration)
			out.Send(&node.Progress{Phase: "measure", ThroughputOps: 1e6, LatencyP99Ns: 5000})
			f.misbehave("client", "go", &out)
			if !part.Client.Several() {
				f.misbehave("client", "end load", &out)
				out.Send(&node.Measured{})
				continue
			}
			if part.Client.FirstThread > 0 { // its period ends later
				time.Sleep(part.Client.Duration / 5)
			}
			note(dir, "period over")
			out.Send(&node.PeriodOver{})
		case *node.EndLoad:
			note(dir, "end load")
			out.Send(&node.Measured{})
		case *node.Release:
			f.misbehave("client", "release", &out)
			p := fakePoint(part.Client)
			if strings.Contains(text, "noisy") {
				noise(&p)
			}
			p.Pages = f.pages(dir)
			out.Send(&node.Result{Point: p, Hlog: []byte("#log\n")})
		case *node.Count:
			out.Send(&node.Counted{Neighbour: &neighbour.Count{AtNs: 2, Ops: 1}})
		case *node.Stop:
			f.misbehave("", "stop", &out)
			return 0
		}
	}
	return 0
}

// pages are those of the next point, of a script such as "client@pages=thp-2m;4k". The last ones stay.
func (s script) pages(dir string) string {
	for _, f := range s {
		if f.step == "pages" {
			kinds := strings.Split(f.how, ";")
			events, _ := os.ReadFile(filepath.Join(dir, "events"))
			note(dir, "pages")
			return kinds[min(strings.Count(string(events), "pages\n"), len(kinds)-1)]
		}
	}
	return ""
}

// note adds a line to the events of the fake nodes.
func note(dir, event string) {
	f, err := os.OpenFile(filepath.Join(dir, "events"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintln(f, event)
}

// misbehave does what the script says of this step.
func (s script) misbehave(role, step string, out *node.MessageWriter) {
	for _, f := range s {
		if f.step == step && (role == "" || f.role == role) {
			f.happen(out)
		}
	}
}

func (f fault) happen(out *node.MessageWriter) {
	switch f.how {
	case "die":
		fmt.Fprintln(os.Stderr, "some words\npanic: at the end of its wits")
		os.Exit(3)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "eat": // all the memory of a cgroup, until the kernel ends it
		group, self := os.Getenv(groupVariable), strconv.Itoa(os.Getpid())
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(self), 0o644); err != nil {
			out.Send(&node.Failed{Error: err.Error()})
			return
		}
		out.Send(&node.Failed{Error: syscall.Exec("/bin/sh", []string{"sh", "-c", "exec tail /dev/zero"},
			os.Environ()).Error()})
	case "quit":
		os.Exit(0)
	case "garbage":
		fmt.Println("Segmentation fault, or was it a banner?")
	case "unknown":
		fmt.Println(`{"type":"greeting","body":{}}`)
	case "malformed":
		fmt.Println(`{"type":"ready","body":{"addr":7}}`)
	case "nonsense":
		out.Send(&node.Ready{Facts: kvs.Facts{Workers: 1 << 62}})
	case "unexpected":
		out.Send(&node.Begin{})
	case "huge":
		fmt.Print(strings.Repeat("x", node.MaxMessageBytes+1))
	case "endless": // and it ignores that nobody reads
		signal.Ignore(syscall.SIGPIPE, syscall.SIGTERM)
		for zeros := make([]byte, 1<<16); ; {
			_, _ = os.Stdout.Write(zeros)
		}
	case "long point":
		p := fakePoint(configured)
		p.Warnings = results.ReadWarnings(strings.Repeat("x", 1<<20))
		out.Send(&node.Result{Point: p})
	case "values":
		fmt.Println(`{"type":"result","body":{"point":{"warnings":[` + strings.Repeat(`"",`, 200_000) + `""]}}}`)
	case "failed":
		out.Send(&node.Failed{Error: "the address is taken"})
	case "failed preload":
		out.Send(&node.Result{Point: results.Point{
			Identity: results.Identity{
				Status: results.StatusFailed, Error: "only 3 of 10 keys were found",
			},
		}})
	case "other build":
		out.Send(&node.Hello{Protocol: node.ProtocolVersion, Version: "v9", Build: "another"})
	case "other protocol":
		fmt.Println(`{"type":"hello","body":{"protocol":99,"version":"v9","wings":2}}`)
	case "failed point":
		out.Send(&node.Result{Point: results.Point{
			Identity: results.Identity{
				Status: results.StatusFailed, Error: "some answers were wrong",
			},
			Counted: results.Counted{Errors: 7},
		}})
		return
	case "backlog": // at the rate of the peak
		if configured.RateOps >= 1e6 {
			out.Send(&node.Result{Point: results.Point{
				Identity: results.Identity{Status: results.StatusFailed, Error: "answers: found 9, all due before"},
				Counted:  results.Counted{StartedAt: time.Now(), UnsentOps: 7},
				Warnings: results.ReadWarnings("only a backlog answered: all 9"),
			}})
		}
		return
	case "another point":
		p := fakePoint(configured)
		p.Batch, p.Mode = 7, "store"
		out.Send(&node.Result{Point: p})
	case "invalid point":
		p := fakePoint(configured)
		p.StartedAt = time.Time{}
		out.Send(&node.Result{Point: p})
	case "slow": // longer than the time limit, but never without a further key for so long
		for i := range 10 {
			time.Sleep(briefly / 10)
			out.Send(&node.Progress{Phase: "preload", Done: uint64(i), Total: 10})
		}
		return
	case "stuck": // alive, but without a further key
		for range 40 {
			time.Sleep(briefly / 10)
			out.Send(&node.Progress{Phase: "preload", Done: 1, Total: 10})
		}
		return
	case "hang":
		note(eventsOf, "hang")
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	}
	time.Sleep(time.Hour) // and hang
}

// eventsOf is the folder of a fake node.
var eventsOf string

// configured is the task of a fake client.
var configured *node.ClientSpec

func fakePoint(c *node.ClientSpec) results.Point {
	l := results.Latency{MeanNs: 2000, P50Ns: 1000, P95Ns: 3000, P99Ns: 4000, P999Ns: 5000, MaxNs: 6000}
	p := results.Point{
		Identity: results.Identity{Status: results.StatusOK},
		Asked: results.Asked{
			Store: c.Store, Setup: kvs.Setup{Mode: "cache", Access: "erew"}, ServerThreads: 1,
			ClientThreads: c.Threads, Load: c.Load,
		},
		Reached: results.Reached{Transport: "tcp"},
		Used: results.Used{
			ServerCPUs: []int{0}, ClientCPUs: []int{1},
		},
		Counted: results.Counted{
			StartedAt: time.Now(), DurationNs: int64(time.Second), Ops: 1_000_000,
			Gets: 1_000_000, Hits: 1_000_000, ThroughputOps: 1e6,
		},
		LatencyDetail: results.LatencyDetail{Actual: l},
		Latency:       l,
		Warnings:      results.Warnings{},
	}
	if c.RateOps > 0 {
		offered(&p)
	}
	return p
}

// offered has a fake server of one million operations a second take the offered rate. Its latencies
// are exact: the p99 is 4 µs over the share of the time in which the server has nothing to do.
func offered(p *results.Point) {
	took := min(p.RateOps, 1e6)
	p.ThroughputOps, p.Ops, p.Gets, p.Hits = took, uint64(took), uint64(took), uint64(took)
	if p.RateOps >= 1e6 {
		p.UnsentOps = 100_000
		p.Warnings = results.ReadWarnings("target rate missed: the fake server takes 1000000")
		return
	}
	p.P99Ns = int64(4000 / (1 - p.RateOps/1e6))
	p.P999Ns, p.MaxNs = p.P99Ns, p.P99Ns
}

// noise has repeats differ by their seeds: none with one client thread, up to 4 % of the throughput
// with two, and up to 40 % of the p99 with four.
func noise(p *results.Point) {
	share := 2*rand.New(rand.NewPCG(p.Seed, 0)).Float64() - 1
	switch p.ClientThreads {
	case 2:
		took := math.Round(p.ThroughputOps * (1 + 0.04*share))
		p.ThroughputOps, p.Ops, p.Gets, p.Hits = took, uint64(took), uint64(took), uint64(took)
	case 4:
		p.P99Ns = int64(4e6 * (1 + 0.4*share))
		p.P999Ns, p.MaxNs = 6e6, 6e6
	}
}

// leaveNone fails the test if a process with its ID in dir still runs after a while.
func leaveNone(t *testing.T, dir string, atLeast int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "pid*"))
	if err != nil || len(files) < atLeast {
		t.Fatalf("%d processes were started, want at least %d (%v)", len(files), atLeast, err)
	}
	deadline := time.Now().Add(time.Minute)
	for _, file := range files {
		pid, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(file), "pid"))
		for runs(pid) {
			if time.Now().After(deadline) {
				syscall.Kill(pid, syscall.SIGKILL)
				t.Errorf("process %d was left behind", pid)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// runs reports whether a process runs. A zombie, which waits for its parent, does not.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// briefly is the time limit for steps that take a fake node no time.
var briefly = kernel.Timeout(time.Second)

// fakeOptions returns the options for a sweep of nodes that follow the script.
func fakeOptions(t *testing.T, script string) (o Options, stderr *node.TailBuffer, pids string) {
	t.Helper()
	pids = t.TempDir()
	o = realOptions(t,
		"get_ratio: [1, 0.5]\nclient_threads: [1, 2]\nduration: 10ms\nwarmup: 0s\nrepeats: 1\nkeys: 10\n", "")
	o.command = []string{os.Args[0], "fake-node", pids, script}
	o.timeouts = node.Timeouts{
		Hello: kernel.Timeout(5 * time.Second), Server: briefly, Client: briefly, Result: briefly,
		Stop: kernel.Timeout(300 * time.Millisecond), Kill: kernel.Timeout(300 * time.Millisecond),
		Alive: time.Hour,
	}
	return o, o.Stderr.(*node.TailBuffer), pids
}

// realOptions returns the options for a sweep of real nodes of this binary; without a testbed, on this
// machine.
func realOptions(t *testing.T, sweep, bed string) Options {
	t.Helper()
	dir := t.TempDir()
	o := Options{
		SweepFile: filepath.Join(dir, "sweep.yaml"), Dir: filepath.Join(dir, "run"), Version: "test",
		Stdout: new(node.TailBuffer), Stderr: new(node.TailBuffer), plain: true,
		command: []string{os.Args[0], "node"},
	}
	write(t, &o, sweep, bed)
	return o
}

// write writes a sweep file, and the testbed file if there is one.
func write(t *testing.T, o *Options, sweep, bed string) {
	t.Helper()
	must.Do(t, os.WriteFile(o.SweepFile, []byte(sweep), 0o600))
	if bed != "" {
		o.TestbedFile = filepath.Join(filepath.Dir(o.SweepFile), "bed.yaml")
		must.Do(t, os.WriteFile(o.TestbedFile, []byte(bed), 0o600))
	}
}

// patient leaves a busy machine time for each step: where an event ends the point, no limit does.
func patient(o *Options) {
	l := &o.timeouts
	l.Hello, l.Server, l.Client, l.Result = time.Minute, time.Minute, time.Minute, time.Minute
}

func realNode() int {
	if err := node.Run(context.Background(), os.Stdin, os.Stdout, "test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// orchestrator runs a sweep of fake nodes: orchestrator SWEEP DIR PIDS SCRIPT. Without PIDS the
// nodes are real.
func orchestrator(args []string) int {
	command := []string{os.Args[0], "fake-node", args[2], args[3]}
	if args[2] == "" {
		command = []string{os.Args[0], "node"}
	}
	plan, err := NewPlan(Options{
		SweepFile: args[0], Dir: args[1], Stdout: os.Stdout, Stderr: os.Stderr, plain: true,
		command: command,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if _, err := plan.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func allowedCPUs(t *testing.T) []int {
	t.Helper()
	return must.Get(cpu.Allowed())(t)
}
