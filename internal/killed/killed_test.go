package killed

import (
	"os/exec"
	"strings"
	"testing"

	"dpukv/internal/test/kernel"
)

func TestParse(t *testing.T) {
	if got := Parse(strings.NewReader("nr_free_pages 1\noom_kill 7\nfoo 3\n")); got != (Count{true, 7}) {
		t.Errorf("got %+v", got)
	}
	for _, text := range []string{"", "oom_killer 7\n", "oom_kill many\n"} {
		if got := Parse(strings.NewReader(text)); got.Known {
			t.Errorf("of %q got %+v, want that it is not known", text, got)
		}
	}
	if n := (Count{true, 3}).Since(Count{}); n != 0 {
		t.Errorf("since nobody knows when: %d", n)
	}
}

// TestHow: every kind of end has its message, with the remedy.
func TestHow(t *testing.T) {
	end := func(script string) error { return exec.Command("sh", "-c", script).Run() }
	was, same, more := Count{true, 2}, Count{true, 2}, Count{true, 3}
	for _, c := range []struct {
		name string
		err  error
		now  Count
		want string
	}{
		{"in good order", nil, more, "ended with exit status 0"},
		{"by itself", end("exit 3"), same, "ended with exit status 3"},
		{"behind a launcher", end("exit 255"), more, "status 255; the kernel of its machine killed 1 "},
		{"by another signal", end("kill -SEGV $$"), same, "ended with signal: "},
		{
			"out of memory", end("kill -KILL $$"), more,
			"out of memory: the kernel of its machine killed 1 processes",
		},
		{"behind a shell", end("exit 137"), more, "out of memory"},
		{"from outside", end("kill -KILL $$"), same, "killed no process for lack of memory"},
		{"nobody knows", end("kill -KILL $$"), Count{}, "usually the kernel, for lack of memory"},
	} {
		if got := How(c.err, was, c.now); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}

// TestKernelCounts: the kernel's own count grows when it kills a process. The process asks to be
// the first victim, in a cgroup of its own, so that no other process lacks memory.
func TestKernelCounts(t *testing.T) {
	before := Now()
	if !before.Known {
		t.Skip("this kernel does not count what it ends for want of memory")
	}
	group := kernel.MemoryGroup(t, 32<<20)
	cmd := exec.Command("sh", "-c", `echo $$ >"$1"/cgroup.procs && exec tail /dev/zero`, "sh", group)
	err := cmd.Run()
	if !By(err) {
		t.Fatalf("it ended with %v, want signal 9", err)
	}
	if got := How(err, before, Now()); !strings.Contains(got, "out of memory") {
		t.Errorf("got %q", got)
	}
}
