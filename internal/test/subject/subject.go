package subject

import (
	"runtime"
	"slices"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
)

// Subject is a part whose CPU time a judge compares.
type Subject struct {
	Name string
	Kind string // Core or Server
	// Figures name the times of [Running.Read]. None: the CPU time of the thread.
	Figures []string
	Batch   int // 0: 64
	Polls   bool
	// Start prepares it, on the thread that will call the rest. A small one is for a trial.
	Start func(tb testing.TB, small bool) *Running
}

// Running is a subject that has begun. It keeps its place from slice to slice.
type Running struct {
	// Do goes on with n operations.
	Do func(n int) error
	// Drain waits for what Do has left in flight. It may be nil.
	Drain func() error
	// Read returns the CPU time of each figure so far. It may be nil.
	Read func() ([]int64, error)
}

func (s *Subject) facts() Facts {
	f := Facts{s.Name, s.Kind, s.Figures, s.Batch, s.Polls}
	if f.Batch == 0 {
		f.Batch = 64
	}
	if len(f.Figures) == 0 {
		f.Figures = []string{"cpu"}
	}
	return f
}

// PinHere keeps the calling goroutine on a thread, on the last allowed CPU. Servers have the first.
func PinHere(tb testing.TB) {
	tb.Helper()
	allowed := must.Get(cpu.Allowed())(tb)
	runtime.LockOSThread()
	must.Do(tb, cpu.PinThread(allowed[len(allowed)-1]))
}

// Test serves a subject to a judge that has asked for one. Without a judge, it tries all.
func Test(t *testing.T, subjects ...Subject) {
	if !served(t, subjects) {
		for i := range subjects {
			t.Run(subjects[i].Name, func(t *testing.T) { try(t, &subjects[i]) })
		}
	}
}

// try does a few slices.
func try(t *testing.T, s *Subject) {
	PinHere(t)
	r, f := s.Start(t, true), s.facts()
	sums := make([]int64, len(f.Figures))
	for range 3 {
		none := func() uint64 { return 0 }
		a := measure(r, &f, none, &Slice{f.Batch, 16 * f.Batch})
		if a.Error != "" {
			t.Fatal(a.Error)
		}
		for i, ns := range a.Ns {
			sums[i] += ns
		}
	}
	if slices.Min(sums) <= 0 {
		t.Errorf("%q took %d ns of CPU time, want a time of each", f.Figures, sums)
	}
}
