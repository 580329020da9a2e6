package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"
	"dpukv/internal/test/programs"
	"dpukv/probe"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// need skips a test on a machine without iperf3.
func need(t testing.TB) {
	t.Helper()
	_, err := findIperf3()
	programs.NeedFound(t, err)
}

func task(settings string) *probe.Task {
	return &probe.Task{
		Settings: probe.Settings(settings), Listen: "127.0.0.1:0", Duration: time.Second,
	}
}

// serve starts a server for a task, and gives the task its address.
func serve(t testing.TB, of *probe.Task) *server {
	t.Helper()
	s := must.Get(Serve(t.Context(), of))(t)
	t.Cleanup(func() { s.Close() })
	of.Addr = s.Addr()
	return s.(*server)
}

// measure measures again where others had the CPUs, so that iperf3 streamed for much less than it was
// asked to.
func measure(t *testing.T, of *probe.Task) *probe.Outcome {
	t.Helper()
	const tries = 5
	for try := 1; ; try++ {
		out, err := Measure(t.Context(), of)
		if err == nil || try == tries || !strings.Contains(err.Error(), "report: seconds: found ") {
			must.Do(t, err)
			return out
		}
		t.Logf("try %d: %v", try, err)
	}
}

// TestMeasure streams over loopback either way.
func TestMeasure(t *testing.T) {
	need(t)
	kernel.NeedTCPInfo(t)
	for _, settings := range []string{
		"cores=1 write_bytes=131072 direction=up", "cores=2 write_bytes=1024 direction=down",
	} {
		of := task(settings)
		of.Warmup, of.Duration = 300*time.Millisecond, 900*time.Millisecond // iperf3 takes a second
		srv := serve(t, of)
		var began time.Time
		of.Began = func() { began = time.Now() }
		before := srv.CPUNs()
		out := measure(t, of)
		if out.Figures[figureBandwidth] < 1e6 || out.CPUNs <= 0 || srv.CPUNs() <= before ||
			out.Duration != time.Second || out.Transport != "tcp" || began.Before(out.StartedAt) {
			t.Errorf("%s: got %+v", settings, out)
		}
		for _, s := range of.Settings.List() {
			if out.Facts[s.Name] != s.Value {
				t.Errorf("%s: used %q", s.Name, out.Facts[s.Name])
			}
		}
		if out.Facts["mss"] == "" || out.Facts["congestion"] == "" ||
			!strings.HasPrefix(out.Facts["program"], "iperf ") {
			t.Errorf("got the facts %v", out.Facts)
		}
		whole := "iperf3 measures whole seconds: 1s in place of 900ms"
		if !slices.Contains(out.Warnings, whole) || out.Facts["warmup"] != "1s" {
			t.Errorf("got the warnings %q and the facts %v", out.Warnings, out.Facts)
		}
		checkMoved(t, of, srv, out)
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		if err := srv.Wait(); err != nil {
			t.Errorf("closed: %v", err)
		}
	}
}

// checkMoved compares the traffic that both ends report with the bandwidth, and with each other.
func checkMoved(t *testing.T, of *probe.Task, srv *server, out *probe.Outcome) {
	t.Helper()
	near, far := out.Moved.Sockets, srv.Moved().Sockets
	sent, received := near, far
	if of.Settings.Get(axisDirection) == down {
		sent, received = far, near
	}
	period := uint64(out.Figures[figureBandwidth])
	if near.Sources == 0 || far.Sources == 0 || received.ReceivedBytes < period ||
		sent.SentBytes < period || sent.SentPackets == 0 || near.ReceivedPackets == 0 {
		t.Errorf("%s: %d bytes arrived in the period, the client moved %+v, the server %+v",
			of.Settings, period, near, far)
	}
}

// TestPinned: each process has its CPU. Processes that share CPUs are told.
func TestPinned(t *testing.T) {
	kernel.NeedNative(t)
	need(t)
	allowed := must.Get(cpu.Allowed())(t)
	of := task("cores=2 write_bytes=131072 direction=up")
	of.CPUs = allowed[:1]
	srv := serve(t, of)
	for _, p := range srv.processes {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
		want := fmt.Sprintf("Cpus_allowed_list:\t%d\n", allowed[0])
		if err != nil || !bytes.Contains(status, []byte(want)) {
			t.Errorf("process %d: found no %q, %v", p.PID(), want, err)
		}
	}
	out := measure(t, of)
	for _, want := range []string{
		fmt.Sprintf("iperf3 clients share CPUs: 2 processes, CPU %d", allowed[0]),
		fmt.Sprintf("client and server share CPUs %d", allowed[0]),
	} {
		if !slices.Contains(out.Warnings, want) {
			t.Errorf("got %q, want %q in it", out.Warnings, want)
		}
	}
	if !slices.Equal(out.CPUs, allowed[:1]) || srv.Facts()["cpus"] != strconv.Itoa(allowed[0]) {
		t.Errorf("got CPUs %v and %v", out.CPUs, srv.Facts())
	}
}

// TestKilledServer: a server that is killed in the measurement fails both ends.
func TestKilledServer(t *testing.T) {
	need(t)
	of := task("cores=2 write_bytes=131072 direction=up")
	of.Duration = time.Minute
	srv := serve(t, of)
	of.Began = func() { _ = syscall.Kill(srv.processes[1].PID(), syscall.SIGKILL) }
	_, err := Measure(t.Context(), of)
	if err == nil || !strings.Contains(err.Error(), "iperf3 to "+srv.Addr()+": client 1: ") {
		t.Errorf("got %v", err)
	}
	t.Log(err)
	if err := srv.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v", err)
	}
}

// TestCanceled: no process is left.
func TestCanceled(t *testing.T) {
	need(t)
	of := task("cores=1 write_bytes=131072 direction=up")
	of.Duration = time.Minute
	serve(t, of)
	ctx, cancel := context.WithCancel(t.Context())
	of.Began = cancel
	if _, err := Measure(ctx, of); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}

// TestNoServer: nobody listens, or another client has the server.
func TestNoServer(t *testing.T) {
	need(t)
	of := task("cores=1 write_bytes=131072 direction=up")
	srv := serve(t, of)
	busy := *of
	busy.Duration = 2 * time.Second
	busy.Began = func() {
		if _, err := Measure(t.Context(), of); err == nil || !strings.Contains(err.Error(), "busy") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := Measure(t.Context(), &busy); err != nil {
		t.Error(err)
	}
	must.Do(t, srv.Close())
	if _, err := Measure(t.Context(), of); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
}

// TestPorts: the servers take ports of the range, and start only if there are enough.
func TestPorts(t *testing.T) {
	need(t)
	r := must.Get(ports.Block("127.0.0.1:0", 3))(t)
	taken := must.Get(net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", r.First)))(t)
	defer taken.Close()
	of := task("cores=2 write_bytes=131072 direction=up")
	of.Listen = ports.Join("127.0.0.1", r)
	if got, want := serve(t, of).Addr(), fmt.Sprintf("127.0.0.1:%d-%d", r.First+1, r.Last); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for want, listen := range map[string]string{
		"found no 2 free ports":       of.Listen, // now all three are taken
		"found 1 ports, allowed: 2":   fmt.Sprintf("127.0.0.1:%d", r.First),
		"allowed: an IP address":      "localhost:0",
		"allowed: HOST:PORT":          "nowhere",
		"cannot assign requested add": "192.0.2.1:0",
	} {
		other := *of
		other.Listen = listen
		s, err := Serve(t.Context(), &other)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", listen, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	need(t)
	for want, change := range map[string]func(*probe.Task){
		"cores: found \"0\"":        func(t *probe.Task) { t.Settings = "cores=0" },
		"direction: found \"left\"": func(t *probe.Task) { t.Settings = "direction=left" },
		"allowed: 2 ports":          func(t *probe.Task) { t.Settings = "cores=2" },
		"listen address":            func(t *probe.Task) { t.Addr = "nowhere" },
		"up to 1m0s":                func(t *probe.Task) { t.Warmup = time.Hour },
		"found 0s of warm-up":       func(t *probe.Task) { t.Duration = 0 },
		"allowed for this process":  func(t *probe.Task) { t.CPUs = []int{1 << 14} },
	} {
		of := task("cores=1 write_bytes=131072 direction=up")
		of.Addr = "127.0.0.1:1"
		change(of)
		if _, err := Measure(t.Context(), of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// script puts a program named iperf3 before the installed one.
func script(t *testing.T, text string) {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestExamine refuses a machine without a usable iperf3.
func TestExamine(t *testing.T) {
	for text, want := range map[string]string{
		"echo iperf 3.1.3":          "found iperf 3.1, allowed: iperf 3.7 or later",
		"echo iperf version 2.1.8":  `found "iperf version 2.1.8`,
		"head -c 9999999 /dev/zero": "install the package iperf3",
		"echo no such file; exit 3": "exit status 3",
		"exit 0":                    `found ""`,
	} {
		script(t, text)
		err := Examine("", true)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1000 {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if err := Examine("", false); err == nil || !strings.Contains(err.Error(), "apt-get install iperf3") {
		t.Errorf("got %v", err)
	}
	for text, want := range map[string]string{
		"iperf 3.7 (cJSON 1.5.2)\n": "iperf 3.7, single-threaded",
		"iperf 3.16+ (cJSON)":       "iperf 3.16, a thread for each connection",
		"iperf 4.0":                 "iperf 4.0, a thread for each connection",
	} {
		major, minor, err := parseVersion(text)
		if got := (&iperf3{"", major, minor}).title(); got != want || err != nil {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

// TestCutReport: the program's output ends within its JSON.
func TestCutReport(t *testing.T) {
	need(t)
	of := task("cores=1 write_bytes=131072 direction=up")
	serve(t, of)
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	script(t, `case $1 in --version) exec `+path+` --version;; esac
out=$(`+path+` "$@"); printf '%.600s' "$out"`)
	_, err = Measure(t.Context(), of)
	if err == nil {
		t.Fatal("a report that is cut is taken")
	}
	t.Log(err)
}

// TestParseReport refuses reports of something else than what was asked.
func TestParseReport(t *testing.T) {
	good := must.Get(os.ReadFile("testdata/iperf-3.12.json"))(t)
	o := &options{cores: 1, write: 131072, direction: up}
	r, err := parseReport(good, o, time.Second)
	if err != nil || *r.End.Sent.Retransmits != 6 || r.pmtu() != 65535 || r.bandwidth() < 3.4e9 {
		t.Fatalf("got %+v, %v", r, err)
	}
	for _, test := range []struct{ was, now, want string }{
		{`"TCP"`, `"UDP"`, "protocol: found \"UDP\", allowed: TCP"},
		{`"blksize":	131072`, `"blksize": 8192`, "blksize: found 8192, allowed: 131072"},
		{`"reverse":	0`, `"reverse": 1`, "allowed: the direction up"},
		{`"num_streams":	1`, `"num_streams": 2`, "num_streams: found 2, allowed: 1"},
		{`"seconds":	1.000708`, `"seconds": 0.4`, "seconds: found 0.4, allowed: 1 ± 50 %"},
		{`"seconds":	1.000708`, `"seconds": 1e999`, "found no JSON"},
		{`"bytes":	3473408106`, `"bytes": -1`, "bytes: found -1, allowed: 1 or more"},
		{`"retransmits":	6`, `"retransmits": -6`, "retransmits: found -6, allowed: 0 or more"},
		{`"start":	{`, `"error": "control socket has closed", "start": {`, "control socket has closed"},
	} {
		text := bytes.Replace(good, []byte(test.was), []byte(test.now), -1)
		if bytes.Equal(text, good) {
			t.Errorf("%s is not in the report", test.was)
		}
		if _, err := parseReport(text, o, time.Second); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.now, err, test.want)
		}
	}
	tooLong := bytes.Repeat([]byte(" "), maxReport+1)
	for _, text := range [][]byte{nil, good[:len(good)/2], tooLong, []byte("{}"), []byte("[1]")} {
		if _, err := parseReport(text, o, time.Second); err == nil {
			t.Errorf("%d bytes are a report", len(text))
		}
	}
}

func FuzzParseReport(f *testing.F) {
	if good, err := os.ReadFile("testdata/iperf-3.12.json"); err == nil {
		f.Add(good)
	}
	f.Add([]byte(`{"error": "x"}`))
	o := &options{cores: 1, write: 131072, direction: up}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseReport(text, o, time.Second)
		if err == nil && !(r.bandwidth() > 0) {
			t.Errorf("got %v bytes a second of %s", r.bandwidth(), text)
		}
	})
}

// BenchmarkBeside measures iperf3 alone and through this package, in turn. Either begins as often.
// The ratio should be within 3 % of 1. Where other programs make the ratio vary more, the CPU time
// that this process uses beside iperf3 bounds what it takes from it.
func BenchmarkBeside(b *testing.B) {
	need(b)
	allowed, err := cpu.Allowed()
	if err != nil {
		b.Fatal(err)
	}
	on := allowed[len(allowed)-1:]
	var sums [2]float64
	var ownNs int64
	rounds := 0
	for ; b.Loop(); rounds++ {
		of := task("cores=1 write_bytes=131072 direction=up")
		of.CPUs = allowed[:1]
		srv := serve(b, of)
		of.Warmup, of.Duration, of.CPUs = time.Second, 2*time.Second, on
		for i := range sums {
			way := (rounds + i) % len(sums)
			if way == 0 {
				sums[way] += alone(b, of)
				continue
			}
			before := cpu.ProcessNs()
			out, err := Measure(b.Context(), of)
			if err != nil {
				b.Fatal(err)
			}
			ownNs += cpu.ProcessNs() - before
			sums[way] += out.Figures[figureBandwidth]
		}
		must.Do(b, srv.Close())
	}
	b.ReportMetric(sums[0]/float64(rounds)*8e-9, "alone-Gbit/s")
	b.ReportMetric(sums[1]/sums[0], "ratio")
	b.ReportMetric(float64(ownNs)/float64(rounds)*1e-6, "own-CPU-ms/run")
}

// alone runs iperf3 as a user does, and returns its bytes a second.
func alone(b *testing.B, of *probe.Task) float64 {
	b.Helper()
	text, err := exec.Command("taskset", "-c", strconv.Itoa(of.CPUs[0]), name, "-c", "127.0.0.1",
		"-p", strings.TrimPrefix(of.Addr, "127.0.0.1:"), "-J", "-l", "128K", "-O", "1", "-t", "2").Output()
	var r report
	if err = errors.Join(err, json.Unmarshal(text, &r)); err != nil {
		b.Fatal(err)
	}
	return r.bandwidth()
}
