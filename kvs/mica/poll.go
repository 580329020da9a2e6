package mica

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"time"

	"dpukv/internal/machine"
	"dpukv/kvs"
	"dpukv/verbs/idle"

	"golang.org/x/sys/unix"
)

// polling is how a worker polls. It never yields: its goroutine has a thread for itself, and one
// that is rescheduled costs more than a turn. After 200 ms without a request it sleeps between
// turns, and so leaves its CPU to others between two loads.
var polling = idle.Policy{
	Spin: 200 * time.Millisecond, Yield: 200 * time.Millisecond, Nap: 50 * time.Microsecond,
}

// everReadable returns a wakeup that stays readable, so the loop never blocks. It is an eventfd
// whose reads each take 1 of a number that they never use up: a turn costs one short read. A
// connection that the worker rings anew in each turn costs three times as much.
//
// gnet takes only connections of package net, and duplicates their descriptors. So the eventfd
// takes the place of a socket's descriptor.
func everReadable() (net.Conn, error) {
	ours, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	if err := errors.Join(unix.Close(ours), replace(theirs.(*net.UnixConn))); err != nil {
		return nil, errors.Join(err, theirs.Close())
	}
	return theirs, nil
}

// replace puts an eventfd in the place of a socket.
func replace(c *net.UnixConn) error {
	event, err := unix.Eventfd(0, unix.EFD_SEMAPHORE|unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("eventfd", err)
	}
	defer unix.Close(event)
	const most = 1<<64 - 2
	if _, err := unix.Write(event, binary.NativeEndian.AppendUint64(nil, most)); err != nil {
		return os.NewSyscallError("write to eventfd", err)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	if controlErr := raw.Control(func(fd uintptr) {
		err = unix.Dup3(event, int(fd), unix.O_CLOEXEC)
	}); controlErr != nil {
		return controlErr
	}
	return os.NewSyscallError("dup3", err)
}

// rest ends a turn of a worker that polls. Turns that found nothing count as spun.
func (w *worker) rest() {
	switch {
	case w.idle == nil: // it sleeps in the loop
	case w.found || w.parked.len() > 0:
		w.found = false
		w.idle.Reset()
	default:
		_ = w.idle.Rest(noYield{})
	}
}

// noYield is where a turn that found nothing could yield.
type noYield struct{}

func (noYield) Wait(time.Duration) error { return nil }

// waitOf names the way in which a server's workers wait.
func waitOf(poll bool) string {
	if poll {
		return kvs.WaitPoll
	}
	return kvs.WaitSleep
}

// crowded is a warning beside all counters of a server whose polling workers have no CPU each; nil:
// they have.
func (c *Config) crowded() []string {
	if !c.Poll {
		return nil
	}
	if why := machine.CrowdedPollers(c.Workers, c.CPUs); why != "" {
		return []string{"the server's workers share CPUs, and poll: " + why + ". A worker waits " +
			"while another polls: use fewer, give them more CPUs, or let them sleep"}
	}
	return nil
}
