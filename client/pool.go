package client

import (
	"errors"
	"sync/atomic"
	"time"
)

// threadPool has all threads do the same job at the same time.
type threadPool struct {
	threads []*thread
	jobs    []chan job
	done    chan error
	stop    *atomic.Bool
}

type job func(*thread) error

func newThreadPool(cfg *Config, server string, stop *atomic.Bool) *threadPool {
	p := &threadPool{done: make(chan error), stop: stop}
	for i := range cfg.Threads {
		t, jobs := newThread(i, cfg, server, stop), make(chan job)
		p.threads, p.jobs = append(p.threads, t), append(p.jobs, jobs)
		go t.serve(jobs, p.done)
	}
	return p
}

// each runs a job on every thread and waits for all of them. Meanwhile it calls report from time to
// time, if report is not nil. The first thread that fails stops the others, and each returns its
// error. The error is errStopped if another cause stopped the threads.
func (p *threadPool) each(do job, every time.Duration, report func()) error {
	for _, jobs := range p.jobs {
		jobs <- do
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var cause error
	for left := len(p.threads); left > 0; {
		select {
		case err := <-p.done:
			left--
			if err != nil && (cause == nil || errors.Is(cause, errStopped)) {
				cause = err
				p.stop.Store(true)
			}
		case <-ticker.C:
			if report != nil {
				report()
			}
		}
	}
	return cause
}

// close ends the threads' goroutines and sessions.
func (p *threadPool) close() error {
	for _, jobs := range p.jobs {
		close(jobs)
	}
	var errs []error
	for range p.threads {
		errs = append(errs, <-p.done)
	}
	return errors.Join(errs...)
}

// failures returns the number of wrong answers and failed operations so far.
func (p *threadPool) failures() (n uint64) {
	for _, t := range p.threads {
		n += t.failures.Load()
	}
	return n
}

// answered returns the number of keys done in a running pass, or of answers to a running load.
func (p *threadPool) answered() (n uint64) {
	for _, t := range p.threads {
		n += t.done.Load()
	}
	return n
}
