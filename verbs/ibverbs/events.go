//go:build ibverbs && linux

package ibverbs

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"dpukv/verbs"
)

// events reads a device's asynchronous events from the kernel.
type events struct {
	log verbs.EventLog
	// file is a duplicate of the descriptor for the kernel's events. The runtime's poller waits for
	// it, so that no thread is blocked. Closing the file ends the wait.
	file *os.File
	done chan struct{}
}

func (e *events) start(d *Device) error {
	fd, err := unix.FcntlInt(uintptr(d.ctx.async_fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return d.fail(err, "duplicate the descriptor of asynchronous events")
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return errors.Join(d.fail(err, "make asynchronous events non-blocking"), unix.Close(fd))
	}
	e.file = os.NewFile(uintptr(fd), d.name+" events")
	e.done = make(chan struct{})
	conn, err := e.file.SyscallConn()
	if err != nil {
		return errors.Join(err, e.file.Close())
	}
	go e.run(d.ctx, uint32(d.port), conn)
	return nil
}

// run reads events until the file is closed.
func (e *events) run(ctx *C.struct_ibv_context, port uint32, conn syscall.RawConn) {
	defer close(e.done)
	for {
		var event C.struct_shim_event
		var errno C.int
		err := conn.Read(func(uintptr) bool {
			errno = C.shim_next_event(ctx, &event)
			return errno != C.EAGAIN
		})
		switch {
		case err != nil:
			return // closed
		case errno != 0:
			e.log.Add(verbs.Event{
				Kind: "no more events",
				Err:  fmt.Errorf("ibv_get_async_event: %w", syscall.Errno(errno)), Serious: true,
			})
			return
		}
		e.note(&event, port)
	}
}

// keptEvents are the types of events that report more than normal progress. Others are dropped:
// every connection has some, and they would displace these.
var keptEvents = map[C.int]verbs.Event{
	C.IBV_EVENT_CQ_ERR:            {Kind: "CQ overrun", Serious: true},
	C.IBV_EVENT_QP_FATAL:          {Kind: "QP fatal", Serious: true},
	C.IBV_EVENT_QP_REQ_ERR:        {Kind: "QP fatal: a request that is invalid", Serious: true},
	C.IBV_EVENT_QP_ACCESS_ERR:     {Kind: "QP fatal: an access that is not allowed", Serious: true},
	C.IBV_EVENT_PATH_MIG_ERR:      {Kind: "QP could not change its path", Serious: true},
	C.IBV_EVENT_DEVICE_FATAL:      {Kind: "device fatal", Serious: true},
	C.IBV_EVENT_PORT_ERR:          {Kind: "port %d went down", Serious: true},
	C.IBV_EVENT_PORT_ACTIVE:       {Kind: "port %d came up"},
	C.IBV_EVENT_LID_CHANGE:        {Kind: "port %d has another LID"},
	C.IBV_EVENT_PKEY_CHANGE:       {Kind: "port %d has other partitions"},
	C.IBV_EVENT_SM_CHANGE:         {Kind: "port %d has another subnet manager"},
	C.IBV_EVENT_CLIENT_REREGISTER: {Kind: "port %d was asked to register again"},
	C.IBV_EVENT_GID_CHANGE:        {Kind: "port %d has other GIDs"},
}

// note records an event, with the number of its port or QP. The kernel reports events of all ports
// of the device.
func (e *events) note(from *C.struct_shim_event, port uint32) {
	event, ok := keptEvents[from._type]
	if !ok || from.port != 0 && uint32(from.port) != port {
		return
	}
	if from.port != 0 {
		event.Kind = fmt.Sprintf(event.Kind, from.port)
	}
	event.QPN = uint32(from.qpn)
	e.log.Add(event)
}

// stop ends the goroutine, and returns when it has ended: then the context may be closed.
func (e *events) stop() error {
	err := e.file.Close()
	<-e.done
	return err
}
