package simulation

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// drawn is what a simulation would see of its world.
func drawn(t *testing.T, seed uint64) (all []string) {
	w := NewWorld(t, seed)
	w.ErrnoOneIn = 3
	for range 50 {
		w.Step()
		if err := w.Errno("accept4"); err != nil {
			all = append(all, err.Error())
		}
		all = append(all, string(w.Bytes(4)))
	}
	return append(all, w.events[:]...)
}

func TestSeedRepeats(t *testing.T) {
	if !slices.Equal(drawn(t, 7), drawn(t, 7)) {
		t.Error("one seed gave two worlds")
	}
	if slices.Equal(drawn(t, 7), drawn(t, 8)) {
		t.Error("two seeds gave one world")
	}
}

// failure keeps what a test fails with.
type failure struct {
	testing.TB
	text string
}

func (f *failure) Helper()      {}
func (f *failure) Name() string { return "TestSimulation" }
func (f *failure) Fatal(args ...any) {
	f.text, _ = args[0].(string)
}

func TestFailureNamesItsSeed(t *testing.T) {
	f := &failure{}
	w := NewWorld(f, 42)
	w.run(func(w *World) {
		for range 2 * keptEvents {
			w.Note("event %d", w.Step())
		}
		panic("broken")
	})
	for _, want := range []string{"panic: broken", "-simulate.seed 42", "event 80", "event 41"} {
		if !strings.Contains(f.text, want) {
			t.Errorf("no %q in %s", want, f.text)
		}
	}
	if strings.Contains(f.text, "event 40\n") {
		t.Errorf("more than the last %d events: %s", keptEvents, f.text)
	}
}

// TestPutBackTarget fails where a fault is put back.
func TestPutBackTarget(t *testing.T) {
	if len(errnos) == 0 {
		t.Error("nothing fails")
	}
}

func TestPutBack(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package once for each fault")
	}
	if os.Getenv("GOARCH") != "" {
		t.Skip("runs the go command, which is not there under an emulator")
	}
	fault := Edit{File: "world_test.go", Old: "len(errnos) == " + "0", New: "len(errnos) != 0"}
	putBack(t, "^TestPutBackTarget$", []Fault{
		{Name: "found", Edits: []Edit{fault}, Want: "nothing fails"},
	})
}
