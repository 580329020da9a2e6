//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/internal/clib"
	"dpukv/verbs"
)

// PostSend posts a list, in one call into C for each chunk.
func (q *QP) PostSend(wrs []verbs.SendWR) (done int, err error) {
	if q.qp == 0 {
		return 0, q.dev.closed("ibv_post_send")
	}
	if q.sends == nil {
		q.sends = newSendList(q.depth.send)
	}
	post := clib.At[ibvContext](q.dev.ctx).postSend
	for done < len(wrs) {
		part := wrs[done:min(len(wrs), done+len(q.sends.wrs))]
		built, bad := q.sends.build(part, q.ahs, q.Type() == verbs.UD)
		taken, errno := q.post(post, &q.sends.chain, built)
		if done += taken; errno == 0 {
			errno = bad // the requests before the bad one are posted all the same
		}
		if errno != 0 {
			return done, q.postError(errno, "ibv_post_send", done, len(wrs))
		}
	}
	return done, nil
}

// PostRecv posts a list, in one call into C for each chunk.
func (q *QP) PostRecv(wrs []verbs.RecvWR) (done int, err error) {
	if q.qp == 0 {
		return 0, q.dev.closed("ibv_post_recv")
	}
	if q.recvs == nil {
		q.recvs = newRecvList(q.depth.recv)
	}
	post := clib.At[ibvContext](q.dev.ctx).postRecv
	for done < len(wrs) {
		part := wrs[done:min(len(wrs), done+len(q.recvs.wrs))]
		q.recvs.build(part)
		taken, errno := q.post(post, &q.recvs.chain, len(part))
		if done += taken; errno != 0 {
			return done, q.postError(errno, "ibv_post_recv", done, len(wrs))
		}
	}
	return done, nil
}

// post hands over the first n work requests of a list. It returns how many the device took.
func (q *QP) post(function uintptr, c *chain, n int) (taken int, errno syscall.Errno) {
	if n == 0 {
		return 0, 0
	}
	rc := int32(clib.Call3(function, q.qp, c.first, uintptr(unsafe.Pointer(c.bad))))
	if rc == 0 {
		return n, 0
	}
	return int((*c.bad - c.first) / c.size), syscall.Errno(max(rc, -rc))
}

// postError names the refused work request of a list. Drivers return ENOMEM if a queue has no room.
func (q *QP) postError(errno syscall.Errno, op string, done, n int) error {
	if errno == unix.ENOMEM {
		return fmt.Errorf("%s: %s on %s QP %#x: %d of %d taken: %w", q.dev.name, op, q.Type(),
			q.Num(), done, n, verbs.ErrQueueFull)
	}
	return q.dev.fail(errno, "%s of work request %d of %d on %s QP %#x", op, done+1, n, q.Type(),
		q.Num())
}
