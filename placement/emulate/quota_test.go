package emulate

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
)

// spinner is a set of processes that keep busy on a machine.
type spinner struct {
	start time.Time
	all   []*exec.Cmd
}

func spin(t *testing.T, l *Lab, machine string, n int) *spinner {
	t.Helper()
	s := &spinner{start: time.Now()}
	for range n {
		cmd := command(t, l, machine, "sh", "-c", "while :; do :; done")
		must.Do(t, cmd.Start())
		s.all = append(s.all, cmd)
	}
	return s
}

// stop returns the processes' CPU time over the time that passed.
func (s *spinner) stop() float64 {
	var used time.Duration
	for _, cmd := range s.all {
		cmd.Process.Kill()
		cmd.Wait()
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return used.Seconds() / time.Since(s.start).Seconds()
}

// TestQuota: a machine gets its profile's share of a CPU, and no more, however many processes
// compete. The bounds are wide. The upper one allows for time that passes before the kernel looks
// again. The lower one allows for the load of others, which a process without a limit beside it
// shows.
func TestQuota(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	spec := study("bf2")
	spec.Machines[3].Profile = "bf3"
	l := startLab(t, spec)
	for _, test := range []struct {
		machine   string
		cores     int
		processes int
		want      float64
	}{
		{"dpu-a", 1, 1, 0.24},
		{"dpu-a", 1, 2, 0.24},
		{"dpu-b", 1, 1, 0.572},
		{"dpu-a", 3, 2, 0.72},
	} {
		quota, err := l.SetCores(test.machine, test.cores)
		if err != nil || quota < test.want-0.001 || quota > test.want+0.001 {
			t.Fatalf("%s, %d cores: a quota of %v (%v), want %v", test.machine, test.cores, quota, err, test.want)
		}
		free, limited := spin(t, l, "host-a", 1), spin(t, l, test.machine, test.processes)
		time.Sleep(400 * time.Millisecond)
		got, beside := limited.stop(), free.stop()
		t.Logf("%s, %d cores, %d busy: %.3f CPUs of %.3f; beside it, without limit: %.3f", test.machine, test.cores,
			test.processes, got, quota, beside)
		if got > 1.3*quota || got < 0.3*min(quota, beside) {
			t.Errorf("%s, %d cores, %d busy: %.3f CPUs, want about %.3f", test.machine, test.cores, test.processes, got,
				quota)
		}
	}
}

func factsOf(l *Lab, machine string) *MachineFacts {
	facts := l.Facts()
	return facts.machine(machine)
}

// TestQuotaFacts: facts contain the quota in force.
func TestQuotaFacts(t *testing.T) {
	l := startLab(t, study("bf3"))
	if c := l.Facts().Cgroup; c != "v1" && c != "v2" {
		t.Errorf("cgroup %q", c)
	}
	if q, err := l.SetCores("dpu-a", 100); err != nil || factsOf(l, "dpu-a").Cores != 8 {
		t.Errorf("100 cores of a BF-3: %v, %v, %+v", q, err, factsOf(l, "dpu-a"))
	}
	must.Get(l.SetCores("dpu-a", 2))(t)
	f := factsOf(l, "dpu-a")
	if f.Profile != "bf3" || f.Cores != 2 || f.CoreStrength != 0.572 || f.QuotaCPUs < 1.14 || f.QuotaCPUs > 1.15 ||
		f.PeriodNs != 1e7 {
		t.Errorf("%+v", f)
	}
	out, err := command(t, l, "dpu-a", "cat", "/proc/self/cgroup").Output()
	if want := path.Join(path.Base(path.Dir(path.Dir(l.Held.Groups["dpu-a"].Procs))), "dpu-a\n"); err != nil ||
		!strings.Contains(string(out), want) {
		t.Errorf("a process on dpu-a is in %s (%v), want %s", out, err, want)
	}
	for machine, want := range map[string]string{
		"dpu-a":  "found 0 cores",
		"nobody": "allowed: [host-a dpu-a host-b dpu-b]",
	} {
		if _, err := l.SetCores(machine, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", machine, err, want)
		}
	}
	if q, err := l.SetCores("host-a", 3); err != nil || q != 0 {
		t.Errorf("a machine without profile: %v, %v", q, err)
	}
}

// TestOwnProfile models a machine that is weaker, and slower at the wire, than any DPU.
func TestOwnProfile(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "mine.yaml")
	os.WriteFile(mine, []byte(`
cores: {value: 1, source: made up}
core_strength: {value: 0.02, source: made up}
link_gbps: {value: 0.2, source: made up}
`), 0o644)
	spec := study("bf2")
	spec.Machines[1].Profile = mine
	l := startLab(t, spec)
	f := factsOf(l, "dpu-a")
	if f.Profile != "mine" || f.QuotaCPUs != 0.02 || f.PeriodNs != 50e6 || f.LinkGbps != 0.2 || len(f.Notes) > 0 {
		t.Errorf("%+v", f)
	}
	if f := factsOf(l, "host-a"); f.LinkGbps != 0.2 {
		t.Errorf("its host shares the port: %+v", f)
	}
	if f := factsOf(l, "dpu-b"); f.LinkGbps != 0.2 {
		t.Errorf("the other side has the same wire: %+v", f)
	}
	// Sent and echoed, each byte crosses the wire once in each direction. The content of the
	// queue's bucket goes faster.
	const n, bucket = 8 << 20, 1 << 20
	start := time.Now()
	transfer(t, l, "host-a", "host-b", n)
	if rate := (n - bucket) * 8 / time.Since(start).Seconds(); rate > 0.2e9 {
		t.Errorf("%.0f bit/s over a link of 200 Mb/s", rate)
	}
}
