//go:build ibverbs && linux

package ibverbs

// #cgo noescape shim_post_send
// #cgo nocallback shim_post_send
// #cgo noescape shim_post_recv
// #cgo nocallback shim_post_recv
// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/verbs"
)

// PostSend posts a whole list in one call into C.
func (q *QP) PostSend(wrs []verbs.SendWR) (int, error) {
	if q.qp == nil {
		return 0, q.dev.closed("ibv_post_send")
	}
	if len(wrs) == 0 {
		return 0, nil
	}
	done := C.shim_post_send(q.qp, q.ahs, (*C.struct_shim_send_wr)(unsafe.Pointer(&wrs[0])), C.int(len(wrs)))
	return int(done.n), q.postError(done, "ibv_post_send", len(wrs))
}

// PostRecv posts a whole list in one call into C.
func (q *QP) PostRecv(wrs []verbs.RecvWR) (int, error) {
	if q.qp == nil {
		return 0, q.dev.closed("ibv_post_recv")
	}
	if len(wrs) == 0 {
		return 0, nil
	}
	done := C.shim_post_recv(q.qp, (*C.struct_shim_recv_wr)(unsafe.Pointer(&wrs[0])), C.int(len(wrs)))
	return int(done.n), q.postError(done, "ibv_post_recv", len(wrs))
}

// postError says which work request of a list was refused. Drivers answer ENOMEM where a queue has no room.
func (q *QP) postError(done C.struct_shim_posted, op string, n int) error {
	switch done.error {
	case 0:
		return nil
	case C.int(unix.ENOMEM):
		return fmt.Errorf("%s: %s on %s QP %#x: %d of %d taken: %w", q.dev.name, op, q.Type(), q.Num(), int(done.n), n, verbs.ErrQueueFull)
	}
	return q.dev.check(int(done.error), "%s of work request %d of %d on %s QP %#x", op, int(done.n)+1, n, q.Type(), q.Num())
}
