package client

import (
	"errors"
	"sync/atomic"
	"time"
)

// workerPool has all workers do the same job at the same time, each on a thread of its own.
type workerPool struct {
	workers []*worker
	jobs    []chan job
	done    chan error
	stop    *atomic.Bool
}

type job func(*worker) error

func newWorkerPool(cfg *Config, server string, stop *atomic.Bool) *workerPool {
	p := &workerPool{done: make(chan error), stop: stop}
	for i := range cfg.Threads {
		w, jobs := newWorker(i, cfg, server, stop), make(chan job)
		p.workers, p.jobs = append(p.workers, w), append(p.jobs, jobs)
		go w.serve(jobs, p.done)
	}
	return p
}

// each runs a job on every worker and waits for all of them. Meanwhile it calls report from time to
// time, if report is not nil. The first worker that fails stops the others, and each returns its
// error. The error is errStopped if another cause stopped the workers.
func (p *workerPool) each(do job, every time.Duration, report func()) error {
	for _, jobs := range p.jobs {
		jobs <- do
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var cause error
	for left := len(p.workers); left > 0; {
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

// close ends the workers' goroutines and sessions.
func (p *workerPool) close() error {
	for _, jobs := range p.jobs {
		close(jobs)
	}
	var errs []error
	for range p.workers {
		errs = append(errs, <-p.done)
	}
	return errors.Join(errs...)
}

// failures returns the number of wrong answers and failed operations so far.
func (p *workerPool) failures() (n uint64) {
	for _, w := range p.workers {
		n += w.failures.Load()
	}
	return n
}

// answered returns the number of keys done in a running pass.
func (p *workerPool) answered() (n uint64) {
	for _, w := range p.workers {
		n += w.done.Load()
	}
	return n
}
