package subject

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"dpukv/hashbench/clock"
	"dpukv/internal/cpu"
)

// served does what a judge asks, if there is one.
func served(t *testing.T, subjects []Subject) bool {
	name, asked := os.LookupEnv(Env)
	if !asked {
		return false
	}
	syscall.CloseOnExec(AnswerFD) // a server that this process starts would keep it open
	out := os.NewFile(AnswerFD, "answers")
	if err := serve(t, name, subjects, os.Stdin, out); err != nil {
		t.Fatalf("serve %s to the judge: %v", name, err)
	}
	return true
}

// serve answers commands until there are no more.
func serve(t *testing.T, name string, subjects []Subject, in io.Reader, out io.Writer) error {
	if name == List {
		hello := Hello{Version: Version}
		for i := range subjects {
			hello.Subjects = append(hello.Subjects, subjects[i].facts())
		}
		return send(out, &hello)
	}
	at := slices.IndexFunc(subjects, func(s Subject) bool { return s.Name == name })
	if at < 0 {
		return send(out, &Hello{Version: Version, Error: fmt.Sprintf("found no subject %q", name)})
	}
	PinHere(t)
	s := &subjects[at]
	ofCore = s.Kind == Core
	r, f := s.Start(t, false), s.facts()
	runtime.GC()
	debug.SetGCPercent(-1) // a collection would fall into some slices
	debug.SetMemoryLimit(4 << 30)
	hello := Hello{Version: Version}
	count := func() uint64 { return 0 }
	if c, err := clock.OpenInstructions(); err != nil {
		hello.Counters = "no counters: " + err.Error()
	} else if r.Read == nil { // all work is this thread's
		defer c.Close()
		count = func() uint64 {
			n, _ := c.Read() // 0: others have taken the counter
			return n
		}
	}
	if err := send(out, &hello); err != nil {
		return err
	}
	commands := json.NewDecoder(bufio.NewReader(in))
	for {
		var slice Slice
		if err := commands.Decode(&slice); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		a := measure(r, &f, count, &slice)
		if err := send(out, &a); err != nil {
			return err
		}
	}
}

// measure does a slice.
func measure(r *Running, f *Facts, instructions func() uint64, s *Slice) (a Answer) {
	do, read := r.Do, r.Read
	if read == nil {
		read = func() ([]int64, error) { return []int64{cpu.ThreadNs()}, nil }
		do = func(n int) error {
			for done := 0; done < n; done += f.Batch {
				if err := r.Do(f.Batch); err != nil {
					return err
				}
				Spin(0, f.Batch)
			}
			return nil
		}
	}
	var before, after []int64
	for _, step := range []func() error{
		func() error { return do(s.Warm) },
		func() (err error) { before, err = read(); return err },
		func() error {
			begun, counted := cpu.NowNs(), instructions()
			err := do(s.Ops)
			a.WallNs, a.Instructions = cpu.NowNs()-begun, int64(instructions()-counted)
			return err
		},
		func() (err error) { after, err = read(); return err },
	} {
		if err := step(); err != nil {
			return Answer{Error: err.Error()}
		}
	}
	for i := range before {
		a.Ns = append(a.Ns, after[i]-before[i])
	}
	if r.Drain != nil {
		if err := r.Drain(); err != nil {
			return Answer{Error: "drain: " + err.Error()}
		}
	}
	return a
}
