package client

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dpukv/internal/cpu"
)

// team has all workers do the same thing at the same time, each on a thread of its own.
type team struct {
	workers []*worker
	jobs    []chan job
	done    chan error
	stop    *atomic.Bool
}

type job func(*worker) error

func newTeam(cfg *Config, server string, stop *atomic.Bool) *team {
	t := &team{done: make(chan error), stop: stop}
	for i := range cfg.Threads {
		w, jobs := newWorker(i, cfg, server, stop), make(chan job)
		t.workers, t.jobs = append(t.workers, w), append(t.jobs, jobs)
		go w.serve(jobs, t.done)
	}
	return t
}

// each runs a job on every worker and waits for all of them. Meanwhile it calls report from time to
// time, if there is one. The first worker that fails stops the others, and its error is returned; it is
// errStopped if something else stopped them.
func (t *team) each(do job, every time.Duration, report func()) error {
	for _, jobs := range t.jobs {
		jobs <- do
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var cause error
	for left := len(t.workers); left > 0; {
		select {
		case err := <-t.done:
			left--
			if err != nil && (cause == nil || errors.Is(cause, errStopped)) {
				cause = err
				t.stop.Store(true)
			}
		case <-ticker.C:
			if report != nil {
				report()
			}
		}
	}
	return cause
}

// close ends the workers' goroutines and sessions.
func (t *team) close() error {
	for _, jobs := range t.jobs {
		close(jobs)
	}
	var errs []error
	for range t.workers {
		errs = append(errs, <-t.done)
	}
	return errors.Join(errs...)
}

// serve is a worker's goroutine. It never gives its thread back: the thread ends with it, so that
// no other goroutine inherits what is set for it here.
func (w *worker) serve(jobs <-chan job, done chan<- error) {
	err := w.takeThread()
	for do := range jobs {
		if err == nil {
			err = do(w)
		}
		done <- err
	}
	done <- w.close()
}

func (w *worker) takeThread() error {
	runtime.LockOSThread()
	if w.cpu >= 0 {
		if err := cpu.PinThread(w.cpu); err != nil {
			return fmt.Errorf("thread %d: %w", w.id, err)
		}
	}
	if w.cfg.OpenLoop() {
		// By default the kernel may wake a sleeper 50 µs late, to save wake-ups.
		if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("thread %d: set the timer slack: %w", w.id, err)
		}
	}
	return nil
}
