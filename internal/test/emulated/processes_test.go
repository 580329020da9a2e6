package main

import (
	"os"
	"testing"
)

func TestParseStat(t *testing.T) {
	got, err := parseStat("7 (a) S 1 () R 3 4 5 6 -1 7 8 9 10 11 100 20 0 0 20 0 5 0 999 0 0\n")
	want := process{pid: 7, parent: 3, state: "R", threads: 5, ticks: 120, start: 999}
	if err != nil || got != want {
		t.Errorf("found %+v and %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", "7", "7 (a", "7 (a) R", "x (a) R 3 4 5 6 7 8 9 1 1 1 1 1 1 1 1 1 1 1 1"} {
		if p, err := parseStat(bad); err == nil {
			t.Errorf("%q: found %+v, want an error", bad, p)
		}
	}
}

func TestDescendants(t *testing.T) {
	proc := t.TempDir()
	for pid, parent := range map[int]int{2: 1, 3: 2, 4: 3, 5: 1, 8: 9, 9: 8, 7: 7} {
		entry{pid: pid, parent: parent, state: "S", exe: emulator}.write(t, proc)
	}
	below := descendants(proc, 2)
	if len(below) != 2 || below[0].pid != 3 || below[1].pid != 4 {
		t.Errorf("found %+v, want 3 and 4", below)
	}
	if below := descendants(proc, 8); len(below) != 2 { // a circle, as pids may change hands
		t.Errorf("found %+v, want an end", below)
	}
}

func TestDescendantsOfThisProcess(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	p, err := os.StartProcess("/bin/cat", []string{"cat"}, &os.ProcAttr{Files: []*os.File{read}})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range descendants("/proc", os.Getpid()) {
		if d.pid == p.Pid && d.parent == os.Getpid() {
			write.Close()
			if _, err := p.Wait(); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Errorf("found no process %d below %d", p.Pid, os.Getpid())
}
