package mica

import (
	"fmt"

	"dpukv/kvs/internal/admission"

	"golang.org/x/sys/unix"
)

// maxRefusing is how many refused connections a worker keeps until their clients have read why.
const maxRefusing = 16

// acceptor takes connections from the listener. No error of accept ends it but those that only a
// mistake of the program's own could cause.
type acceptor struct {
	w *worker
	// spare is a descriptor that is given up where the process has no other left, so that a client
	// can be accepted and told so. -1: not had.
	spare    int
	paused   bool // until the next tick
	refusing int
}

func (a *acceptor) open(w *worker) {
	a.w = w
	a.replace()
}

func (a *acceptor) replace() {
	fd, err := a.w.kernel.reserve()
	if a.spare = fd; err != nil {
		a.spare = -1
		a.w.restless = true
	}
}

func (a *acceptor) close() {
	if a.spare >= 0 {
		_ = a.w.kernel.close(a.spare) // it holds nothing
	}
}

// accept takes some of the connections that wait.
func (a *acceptor) accept() error {
	for range acceptsATurn {
		if a.paused {
			return nil
		}
		fd, err := a.w.kernel.accept()
		if err == nil {
			a.take(fd)
			continue
		}
		if err == unix.EAGAIN {
			return nil
		}
		if admission.Fatal(err) {
			return fmt.Errorf("accept: %w", err)
		}
		a.w.counters.AcceptErrors++
		switch {
		case admission.LacksDescriptors(err):
			a.shed()
		case !admission.OfOneConnection(err):
			a.pause()
		}
	}
	return nil
}

// take makes a connection one of the worker's, or refuses it.
func (a *acceptor) take(fd int) {
	w := a.w
	if err := w.kernel.prepare(fd); err != nil {
		a.refuse(fd, err.Error())
		return
	}
	if !w.server.budget.admit() {
		a.linger(fd, fmt.Sprintf("%d connections are all that this server takes (--max-connections): "+
			"use fewer, or start it with more", w.server.budget.connections))
		return
	}
	p, err := w.newPeer(fd)
	if err != nil {
		w.server.budget.leave()
		a.refuse(fd, err.Error())
		return
	}
	w.counters.Connections++
	p.owe(owesHello)
}

// linger refuses a connection and keeps it until its client has had time to read why.
func (a *acceptor) linger(fd int, why string) {
	if a.refusing >= maxRefusing {
		a.refuse(fd, why)
		return
	}
	p, err := a.w.newPeer(fd)
	if err != nil {
		a.refuse(fd, why)
		return
	}
	a.w.counters.Refused++
	a.refusing++
	p.refused = true
	p.depart(why)
}

// refuse tells a client why, as far as one write does, and ends the connection.
func (a *acceptor) refuse(fd int, why string) {
	k := a.w.kernel
	a.w.counters.Refused++
	_, _ = k.write(fd, control(kindFailure, 0, []byte(why))) // it is being closed anyway
	_ = k.finish(fd)
	_, _ = k.read(fd, a.w.in) // what is unread would take the failure away from the client
	_ = k.close(fd)
}

// shed refuses a client that there is no descriptor for, by giving up the spare one.
func (a *acceptor) shed() {
	if a.spare < 0 {
		a.pause()
		return
	}
	_ = a.w.kernel.close(a.spare)
	if fd, err := a.w.kernel.accept(); err == nil {
		a.refuse(fd, "this server's process has no file descriptor left (ulimit -n): "+
			"use fewer connections, or raise the limit")
	} else if err != unix.EAGAIN {
		a.pause()
	}
	a.replace()
}

// pause leaves clients waiting until the next tick.
func (a *acceptor) pause() {
	a.paused, a.w.restless = true, true
	_ = a.w.kernel.listen(false) // or it is reported, in vain, all the time
}

// tick mends what failed. It returns whether something still has to be.
func (a *acceptor) tick() bool {
	if a.spare < 0 {
		a.replace()
	}
	if a.paused {
		a.paused = a.w.kernel.listen(true) != nil
	}
	return a.paused || a.spare < 0
}
