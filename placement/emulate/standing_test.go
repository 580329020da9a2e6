package emulate

import (
	"os"
	"runtime"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/placement/emulate/keeper"
)

// TestAlive: a keeper that is about to end has released the machines before it is gone.
func TestAlive(t *testing.T) {
	runtime.LockOSThread() // under qemu-user, each thread has a start of its own in /proc/self/stat
	f := must.Get(os.Open("/proc/thread-self/ns/net"))(t)
	held := keeper.Held{PID: os.Getpid(), FDs: map[string]int{"a": int(f.Fd())}}
	s := Standing{ways: ways{Held: held}, Start: keeper.StartOf(os.Getpid()), Boot: bootID()}
	if !s.Alive() || !s.kept() {
		t.Errorf("found alive %v, kept %v, want both", s.Alive(), s.kept())
	}
	f.Close()
	if s.Alive() || !s.kept() {
		t.Errorf("without its namespaces: found alive %v, kept %v, want only the latter", s.Alive(), s.kept())
	}
	s.Boot += "0"
	if s.Alive() || s.kept() {
		t.Error("a process of another boot was taken for the keeper")
	}
	s.Boot = bootID()
	s.Start += "0"
	if s.Alive() || s.kept() {
		t.Error("another process was taken for the keeper")
	}
}
