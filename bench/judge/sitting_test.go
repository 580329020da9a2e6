package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"
)

// TestMain: judge's children are this program, too.
func TestMain(m *testing.M) {
	runtime.LockOSThread()
	os.Exit(m.Run())
}

// TestSubjects are two subjects: one thread, and a server that polls.
func TestSubjects(t *testing.T) {
	one := subject.Subject{Name: "one", Kind: subject.Core, Start: func(testing.TB, bool) *subject.Running {
		return &subject.Running{Do: func(n int) error {
			_ = subject.Loop(100*n, 1)
			return nil
		}}
	}}
	polls := subject.Subject{
		Name: "polls", Kind: subject.Server, Figures: []string{"server", "client"}, Batch: 16, Polls: true,
		Start: func(testing.TB, bool) *subject.Running {
			var ns int64
			return &subject.Running{
				Do: func(n int) error {
					_ = subject.Loop(1000*n, 1)
					ns += int64(n)
					return nil
				},
				Read: func() ([]int64, error) { return []int64{ns, 2 * ns}, nil },
			}
		},
	}
	broken := subject.Subject{Name: "broken", Kind: subject.Core, Start: func(tb testing.TB, small bool) *subject.Running {
		if !small {
			tb.Fatal("found no memory")
		}
		return one.Start(tb, small)
	}}
	subject.Test(t, one, polls, broken)
}

// thisBuild has the subjects of this program.
func thisBuild(t *testing.T) *build {
	dir := t.TempDir()
	b := &build{tree: "../..", bin: dir}
	must.Do(t, os.Mkdir(b.folder(0), 0o700))
	must.Do(t, os.Symlink(must.Get(os.Executable())(t), filepath.Join(b.folder(0), "judge.test")))
	must.Do(t, b.ask(context.Background(), "bench/judge"))
	return b
}

// TestSit: two children take turns, and each round has a ratio of each figure.
func TestSit(t *testing.T) {
	b := thisBuild(t)
	p := pace{100 * time.Millisecond, time.Millisecond, 100 * time.Microsecond}
	for name, figures := range map[string]int{"one": 1, "polls": 2} {
		of := b.in(0, name)
		of.Kind = subject.Core // or it would be refused beside other tests
		for _, share := range []float64{0, .5} {
			s := newSeries(figures)
			err := sit(context.Background(), p, contestant{of, 0}, contestant{of, share}, rand.New(rand.NewPCG(1, 2)), s)
			must.Do(t, err)
			rows := s.rows(&of.Facts)
			if len(rows) != figures || rows[0].Pairs+s.stolen < 1 || len(s.ratios[0]) != len(s.ns[1][figures-1]) {
				t.Errorf("%s: found the rows %+v", name, rows)
			}
		}
	}
}

// TestBusyIsRefused: no round of a server counts beside busy processes, and its sitting ends.
func TestBusyIsRefused(t *testing.T) {
	end, _, err := busy(context.Background())
	defer end()
	must.Do(t, err)
	of := thisBuild(t).in(0, "polls")
	s := newSeries(2)
	p := pace{200 * time.Millisecond, time.Millisecond, 100 * time.Microsecond}
	must.Do(t, sit(context.Background(), p, contestant{of, 0}, contestant{of, 0}, rand.New(rand.NewPCG(1, 2)), s))
	must.Contain(t, s.refused, "other programs used", "end them and try again")
	if len(s.ratios[0]) > 0 || s.disturbed == 0 {
		t.Errorf("found %d rounds, and %d that do not count", len(s.ratios[0]), s.disturbed)
	}
}

func TestChildrenFail(t *testing.T) {
	b := thisBuild(t)
	none := *b.in(0, "one")
	none.Name = "none"
	for of, want := range map[*found]string{
		&none: `found no subject "none"`, b.in(0, "broken"): "found no memory",
	} {
		c := must.Get(startChild(context.Background(), of, ""))(t)
		_, err := c.hello()
		must.Fail(t, err, want)
		_, err = c.slice(subject.Slice{Ops: 64})
		must.Fail(t, err, "it has ended")
		c.end()
	}
}
