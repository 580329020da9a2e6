package mica

import (
	"encoding/binary"
	"net"
	"os"
	"time"

	"dpukv/verbs/idle"

	"golang.org/x/sys/unix"
)

// polling is how a worker polls. It never yields: its goroutine has a thread for itself, and one
// that is rescheduled costs more than a turn. After 200 ms without a request it sleeps between
// turns, and so leaves its CPU to others between two loads.
var polling = idle.Policy{
	Spin: 200 * time.Millisecond, Yield: 200 * time.Millisecond, Nap: 50 * time.Microsecond,
}

// stayReadable puts an eventfd in the place of a socket's descriptor. Each read takes 1 of a number
// that reads never use up. So a loop that watches it never blocks, and a turn costs one short read.
// A socket that the worker rings anew in each turn costs three times as much.
//
// gnet takes only connections of package net, and duplicates their descriptors.
func stayReadable(c *net.UnixConn) error {
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

// noYield is where a turn that found nothing could yield.
type noYield struct{}

func (noYield) Wait(time.Duration) error { return nil }
