package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func newRunner() *runner {
	return &runner{
		table: table{"/proc"}, every: 10 * time.Millisecond, limit: 200 * time.Millisecond,
		starts: 3,
	}
}

// TestRunsAgain has a shell whose subshell, a fork without a program, waits for ever. The second
// start finds that the first one was there.
func TestRunsAgain(t *testing.T) {
	dir := t.TempDir()
	script := `cd ` + dir + ` && echo start >>starts
[ "$(wc -l <starts)" -gt 1 ] && exit 3
mkfifo fifo && (read x <fifo)`
	status, err := newRunner().run([]string{"sh", "-c", script})
	if status != 3 || err != nil {
		t.Errorf("found status %d and error %v, want 3 of the second start", status, err)
	}
}

func TestRunsNotForever(t *testing.T) {
	dir := t.TempDir()
	script := `cd ` + dir + ` && echo start >>starts && mkfifo fifo$$ && (read x <fifo$$)`
	status, err := newRunner().run([]string{"sh", "-c", script})
	if status == 0 || err == nil || !strings.Contains(err.Error(), "hung in a fork") {
		t.Errorf("found status %d and error %v, want that of a hung fork", status, err)
	}
	starts, err := os.ReadFile(filepath.Join(dir, "starts"))
	if n := strings.Count(string(starts), "\n"); err != nil || n != 3 {
		t.Errorf("found %d starts (%v), want 3", n, err)
	}
}

// TestRunsOnce has programs that fail or wait for another reason.
func TestRunsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		status int
	}{
		"ok":              {`exit 0`, 0},
		"a failure":       {`exit 1`, 1},
		"a signal":        {`kill -9 $$`, 128 + 9},
		"another program": {`sleep 0.6; exit 4`, 4},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "starts")
			script := `echo start >>` + file + `; ` + c.script
			if status, _ := newRunner().run([]string{"sh", "-c", script}); status != c.status {
				t.Errorf("found status %d, want %d", status, c.status)
			}
			if text, _ := os.ReadFile(file); string(text) != "start\n" {
				t.Errorf("found the starts %q, want one", text)
			}
		})
	}
}

func TestLook(t *testing.T) {
	hung := process{
		pid: 7, program: "qemu a", ofParent: "qemu a", threads: 1, asleep: true, ticks: "1+0",
	}
	for name, c := range map[string]struct {
		change func(p *process)
		hung   int
	}{
		"hung":              {func(*process) {}, 7},
		"the emulator's":    {func(p *process) { p.threads = 2 }, 7},
		"a program in Go":   {func(p *process) { p.threads = 3 }, 0},
		"another program":   {func(p *process) { p.program = "qemu b" }, 0},
		"unknown":           {func(p *process) { p.program, p.ofParent = "", "" }, 0},
		"at work":           {func(p *process) { p.asleep = false }, 0},
		"it used CPU time":  {func(p *process) { p.ticks = "2+0" }, 0},
		"its number is new": {func(p *process) { p.pid = 8 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch{limit: time.Minute, since: map[int]sighting{}}
			begin := time.Now()
			if pid := w.look([]process{hung}, begin); pid != 0 {
				t.Fatalf("found %d hung at once", pid)
			}
			if pid := w.look([]process{hung}, begin.Add(59*time.Second)); pid != 0 {
				t.Fatalf("found %d hung before the limit", pid)
			}
			now := hung
			c.change(&now)
			if pid := w.look([]process{now}, begin.Add(time.Minute)); pid != c.hung {
				t.Errorf("found %d hung, want %d", pid, c.hung)
			}
		})
	}
}
