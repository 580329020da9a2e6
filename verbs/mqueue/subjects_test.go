package mqueue

import (
	"fmt"
	"testing"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/internal/test/subject"

	"golang.org/x/sys/unix"
)

// TestSubjects is what "make bench-quick" compares: see package subject.
func TestSubjects(t *testing.T) {
	small, large := sizesOf[0], sizesOf[1]
	allowed := must.Get(cpu.Allowed())(t)
	first, last := allowed[0], allowed[len(allowed)-1]
	subjects := []subject.Subject{ofLane(Written, small.request, small.answer, first, first, false)}
	if first != last {
		subjects = append(subjects,
			ofLane(Written, small.request, small.answer, first, last, false),
			ofLane(Written, small.request, small.answer, first, last, true),
			ofLane(Read, small.request, small.answer, first, last, false),
			ofLane(Written, large.request, large.answer, first, last, false))
	}
	subject.Test(t, subjects...)
}

// ofLane is requests and their answers, each side a thread. On one CPU the figure is the CPU time of
// both. On two, the requester polls until it has the answer: its CPU time is all there is to see.
func ofLane(way Answers, request, answer, requesterCPU, answererCPU int, fenced bool) subject.Subject {
	s := subject.Subject{
		Name: fmt.Sprintf("lane/%s-%d-%d", way, request, answer), Kind: subject.Server, Figures: []string{"requester"},
		Batch: 16,
	}
	p := pingPong{make([]byte, request), make([]byte, answer), func() {}}
	if fenced {
		s.Name += "-fenced"
	}
	if requesterCPU == answererCPU {
		s.Name, s.Kind, s.Figures = s.Name+"-1cpu", subject.Core, []string{"both"}
		p.yield = func() { _, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
	}
	s.Start = func(tb testing.TB, _ bool) *subject.Running {
		x := newBareOf(tb, way, Shape{32, 2 << 10})
		x.mover.fenced, x.owner.fenced = fenced, fenced
		asks := startSide(tb, requesterCPU, func() {
			p.requestOnce(x.mover)
			subject.Spin(0, 1)
		})
		answers := startSide(tb, answererCPU, func() { p.answerOnce(x.owner) })
		return &subject.Running{
			Do: func(n int) error {
				asks.turns <- n
				answers.turns <- n
				<-asks.done
				<-answers.done
				return nil
			},
			Read: func() ([]int64, error) {
				if s.Kind == subject.Core {
					return []int64{asks.cpuNs + answers.cpuNs}, nil
				}
				return []int64{asks.cpuNs}, nil
			},
		}
	}
	return s
}

// side is a thread that does so many rounds, on request, and sums up their CPU time.
type side struct {
	turns chan int
	done  chan bool
	cpuNs int64
}

func startSide(tb testing.TB, on int, once func()) *side {
	s := &side{turns: make(chan int), done: make(chan bool)}
	go func() {
		defer close(s.done)
		if err := cpu.PinThread(on); err != nil { // for good: the thread ends with the goroutine
			tb.Error(err)
		}
		for rounds := range s.turns {
			begun := cpu.ThreadNs()
			for range rounds {
				once()
			}
			s.cpuNs += cpu.ThreadNs() - begun
			s.done <- true
		}
	}()
	tb.Cleanup(func() {
		close(s.turns)
		<-s.done
	})
	return s
}
