//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/clib"
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
	fd, err := unix.FcntlInt(uintptr(clib.At[ibvContext](d.ctx).asyncFD), unix.F_DUPFD_CLOEXEC, 0)
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
	go e.run(d, conn)
	return nil
}

// run reads events until the file is closed.
func (e *events) run(d *Device, conn syscall.RawConn) {
	defer close(e.done)
	for {
		var event kernelEvent
		var errno syscall.Errno
		err := conn.Read(func(uintptr) bool {
			event, errno = d.lib.nextEvent(d.ctx)
			return errno != unix.EAGAIN
		})
		switch {
		case err != nil:
			return // closed
		case errno != 0:
			e.log.Add(verbs.Event{
				Kind: "no more events",
				Err:  fmt.Errorf("ibv_get_async_event: %w", errno), Serious: true,
			})
			return
		}
		e.note(event, uint32(d.port))
	}
}

// kernelEvent is an asynchronous event after its acknowledgement.
type kernelEvent struct {
	kind int32
	qpn  uint32 // 0: the event is about no QP
	port uint32 // 0: the event is about no port
}

// nextEvent takes and acknowledges one event. The errno is EAGAIN if there is none.
func (l *library) nextEvent(ctx uintptr) (kernelEvent, syscall.Errno) {
	var event ibvAsyncEvent
	rc, errno := clib.CallErrno(l.getAsyncEvent, ctx, uintptr(unsafe.Pointer(&event)))
	if int32(rc) != 0 {
		if errno == 0 {
			errno = unix.EIO
		}
		return kernelEvent{}, errno
	}
	e := kernelEvent{kind: event.eventType}
	switch {
	case aboutQP(e.kind): // which can't go away before the acknowledgement
		e.qpn = clib.At[ibvQP](uintptr(event.element)).qpNum
	case aboutPort(e.kind):
		e.port = uint32(event.element)
	}
	clib.Call(l.ackAsyncEvent, uintptr(unsafe.Pointer(&event)))
	return e, 0
}

func aboutQP(kind int32) bool {
	return kind >= eventQPFatal && kind <= eventPathMigErr || kind == eventQPLastWQEReached
}

func aboutPort(kind int32) bool {
	return kind >= eventPortActive && kind <= eventSMChange ||
		kind == eventClientReregister || kind == eventGIDChange
}

// keptEvents are the types of events that report more than normal progress. Others are dropped:
// every connection has some, and they would displace these.
var keptEvents = map[int32]verbs.Event{
	eventCQErr:            {Kind: "CQ overrun", Serious: true},
	eventQPFatal:          {Kind: "QP fatal", Serious: true},
	eventQPReqErr:         {Kind: "QP fatal: a request that is invalid", Serious: true},
	eventQPAccessErr:      {Kind: "QP fatal: an access that is not allowed", Serious: true},
	eventPathMigErr:       {Kind: "QP could not change its path", Serious: true},
	eventDeviceFatal:      {Kind: "device fatal", Serious: true},
	eventPortErr:          {Kind: "port %d went down", Serious: true},
	eventPortActive:       {Kind: "port %d came up"},
	eventLIDChange:        {Kind: "port %d has another LID"},
	eventPkeyChange:       {Kind: "port %d has other partitions"},
	eventSMChange:         {Kind: "port %d has another subnet manager"},
	eventClientReregister: {Kind: "port %d was asked to register again"},
	eventGIDChange:        {Kind: "port %d has other GIDs"},
}

// note records an event, with the number of its port or QP. The kernel reports events of all ports
// of the device.
func (e *events) note(from kernelEvent, port uint32) {
	event, ok := keptEvents[from.kind]
	if !ok || from.port != 0 && from.port != port {
		return
	}
	if from.port != 0 {
		event.Kind = fmt.Sprintf(event.Kind, from.port)
	}
	event.QPN = from.qpn
	e.log.Add(event)
}

// stop ends the goroutine, and returns when it has ended: then the context may be closed.
func (e *events) stop() error {
	err := e.file.Close()
	<-e.done
	return err
}
