package program

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/killed"
	"dpukv/internal/test/kernel"
	"dpukv/internal/test/must"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestStart: what a program writes to stdout goes to the writer, and the rest to its output.
func TestStart(t *testing.T) {
	var stdout bytes.Buffer
	p := must.Get(Start("/bin/sh", []string{"-c", "echo said; echo complained >&2; exit 3"}, nil, &stdout))(t)
	<-p.Ended()
	if stdout.String() != "said\n" || p.Output() != "complained\n" || p.Err() == nil ||
		!strings.Contains(p.Reason().Error(), "complained") {
		t.Errorf("got %q, %q, %v, %v", stdout.String(), p.Output(), p.Err(), p.Reason())
	}
	if _, err := Start("/no/such/program", nil, nil, nil); err == nil {
		t.Error("a program that is not there starts")
	}
	if _, err := Find("no-such-program", "no-such-package", "leave it"); err == nil ||
		!strings.Contains(err.Error(), "apt-get install no-such-package") {
		t.Errorf("got %v", err)
	}
}

// TestPinned: the program has the given CPU, and the starter keeps its own.
func TestPinned(t *testing.T) {
	allowed := must.Get(cpu.Allowed())(t)
	p := must.Get(Start("/bin/sleep", []string{"60"}, allowed[:1], nil))(t)
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(p.PID(), &set); err != nil || set.Count() != 1 || !set.IsSet(allowed[0]) {
		t.Errorf("got %d CPUs, %v", set.Count(), err)
	}
	if now, _ := cpu.Allowed(); !slices.Equal(now, allowed) {
		t.Errorf("the starter may use %v, and %v before", now, allowed)
	}
	if err := p.Stop(); err != nil || p.Err() == nil {
		t.Errorf("got %v, %v", err, p.Err())
	}
}

// TestCPUNs: the time of a process grows, and stays after its end.
func TestCPUNs(t *testing.T) {
	p := must.Get(Start("/bin/sh", []string{"-c", "while :; do :; done"}, nil, nil))(t)
	first := p.CPUNs()
	for p.CPUNs() < first+20e6 {
		runtime.Gosched()
	}
	must.Do(t, p.Stop())
	if p.CPUNs() < 20e6 {
		t.Errorf("got %d ns after its end", p.CPUNs())
	}
}

// TestOutOfMemory checks the error of a program that the kernel kills for lack of memory: it names
// the cause and a remedy.
func TestOutOfMemory(t *testing.T) {
	if !killed.Now().Known {
		t.Skip("this kernel does not count what it ends for want of memory")
	}
	group := kernel.MemoryGroup(t, 32<<20)
	p, err := Start("/bin/sh",
		[]string{"-c", `echo $$ >"$1"/cgroup.procs && exec tail /dev/zero`, "sh", group}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Ended()
	got := p.Reason().Error()
	for _, want := range []string{"/bin/sh was killed by signal 9: out of memory: ", "give it more"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}
