package timer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/placement/submode/journal"
)

// TestWait: the timer undoes once; one whose file is another's does nothing.
func TestWait(t *testing.T) {
	o := Options{For: time.Millisecond, Folder: t.TempDir()}
	undone := 0
	undo := func(context.Context) error { undone++; return nil }
	if err := Wait(t.Context(), o, undo); err != nil || undone != 1 {
		t.Errorf("found %v and %d undos, want one", err, undone)
	}
	o.For = time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if err := Wait(ctx, o, undo); !errors.Is(err, stopped) || undone != 1 {
		t.Errorf("found %v and %d undos, want one", err, undone)
	}
	o.For = 200 * time.Millisecond
	file := filepath.Join(o.Folder, journal.TimerPID)
	must.Do(t, os.Remove(file))
	go func() {
		for pidOf(o.Folder) == 0 {
			time.Sleep(time.Millisecond)
		}
		_ = os.WriteFile(file, []byte("1\n"), 0o600)
	}()
	if err := Wait(t.Context(), o, undo); err == nil || undone != 1 {
		t.Errorf("with the PID of another: found %v and %d undos, want an error and one", err, undone)
	}
}

// TestStart: systemd-run starts the timer where systemd manages the machine and may do so; a
// session of its own does elsewhere, and where systemd-run fails.
func TestStart(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	self := filepath.Join(bin, "dpukv")
	script := func(name, text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755))
	}
	script("dpukv", `
for a; do case $a in --folder=*) f=${a#--folder=}; echo "$@" >"$f/ran"; echo $$ >"$f/timer.pid";; esac; done`)
	o := Options{For: time.Minute, Target: "linux", Folder: t.TempDir()}
	must.Do(t, Start(t.Context(), self, o, false))
	want := "undo-after --for=1m0s --target=linux --folder=" + o.Folder + " --wait\n"
	if ran, _ := os.ReadFile(o.Folder + "/ran"); string(ran) != want {
		t.Errorf("it ran %q, want %q", ran, want)
	}
	script("systemd-run", `echo "$@" >"`+bin+`/asked"`)
	must.Do(t, startUnit(t.Context(), Command(self, o)))
	asked, _ := os.ReadFile(bin + "/asked")
	if !strings.Contains(string(asked), " -- "+self+" undo-after --for=1m0s") {
		t.Errorf("systemd-run got %q", asked)
	}
	for _, d := range []time.Duration{0, time.Millisecond, 25 * time.Hour} {
		o.For = d
		err := Start(t.Context(), self, o, false)
		if err == nil || !strings.Contains(err.Error(), "allowed: 1s to 24h") {
			t.Errorf("%v: found %v", d, err)
		}
	}
}

func TestBooted(t *testing.T) {
	run := t.TempDir()
	if Booted(run) {
		t.Error("without its folder")
	}
	must.Do(t, os.MkdirAll(run+"/systemd/system", 0o755))
	if !Booted(run) {
		t.Error("with its folder")
	}
}
