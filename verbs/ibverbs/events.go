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

// events carries a device's asynchronous events from the kernel to whoever reads them.
type events struct {
	out chan verbs.Event
	// file is a duplicate of the descriptor that the kernel reports events on. The runtime's poller waits
	// for it, so that no thread is blocked, and closing it ends the wait.
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
	e.out, e.done = make(chan verbs.Event, 64), make(chan struct{})
	conn, err := e.file.SyscallConn()
	if err != nil {
		return errors.Join(err, e.file.Close())
	}
	go e.run(d.ctx, conn)
	return nil
}

// run takes events until the file is closed.
func (e *events) run(ctx *C.struct_ibv_context, conn syscall.RawConn) {
	defer close(e.done)
	defer close(e.out)
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
			e.put(verbs.Event{Kind: "no more events", Err: fmt.Errorf("ibv_get_async_event: %w", syscall.Errno(errno))})
			return
		}
		e.put(describe(&event))
	}
}

func describe(e *C.struct_shim_event) verbs.Event {
	text := C.GoString(e.text)
	event := verbs.Event{Kind: text, QPN: uint32(e.qpn)}
	switch e._type {
	case C.IBV_EVENT_CQ_ERR, C.IBV_EVENT_QP_FATAL, C.IBV_EVENT_QP_REQ_ERR, C.IBV_EVENT_QP_ACCESS_ERR,
		C.IBV_EVENT_PATH_MIG_ERR, C.IBV_EVENT_DEVICE_FATAL, C.IBV_EVENT_PORT_ERR:
		event.Err = errors.New(text)
	}
	return event
}

// put drops the oldest event where nobody reads.
func (e *events) put(event verbs.Event) {
	for {
		select {
		case e.out <- event:
			return
		default:
		}
		select {
		case <-e.out:
		default:
		}
	}
}

// stop ends the goroutine, and returns when it is gone: the context may be closed then.
func (e *events) stop() error {
	err := e.file.Close()
	<-e.done
	return err
}
