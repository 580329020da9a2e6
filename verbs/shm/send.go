package shm

import (
	"fmt"
	"math/bits"
	"unsafe"

	"dpukv/verbs"
)

// PostSend executes the work requests at once: they are complete when it returns. A list usually
// starts with requests of one kind, datagrams, plain WRITEs or READs. Those
// share their lookups.
func (q *qp) PostSend(wrs []verbs.SendWR) (int, error) {
	if !q.ready.Load() {
		return 0, q.notReady()
	}
	n := 0
	if q.kind == verbs.UD {
		n = q.datagrams(wrs)
	} else if !q.failed {
		n = q.transfers(wrs)
	}
	for ; n < len(wrs); n++ {
		wr := &wrs[n]
		status, full := q.do(wr)
		if full {
			return n, fmt.Errorf("QP %#x: the peer has not received the earlier messages: %w",
				q.number, verbs.ErrQueueFull)
		}
		if status != verbs.StatusSuccess || wr.Flags&verbs.Signaled != 0 {
			q.complete(wr, status)
		}
	}
	return len(wrs), nil
}

// transfers executes the plain WRITEs or the READs at the start of a list, until one of them is
// wrong or of another kind. It returns their number.
func (q *qp) transfers(wrs []verbs.SendWR) int {
	if len(wrs) == 0 {
		return 0
	}
	if _, ok := q.connected(); !ok {
		return 0
	}
	switch {
	case wrs[0].Op == verbs.OpWrite:
		return q.writes(wrs)
	case wrs[0].Op == verbs.OpRead && q.kind == verbs.RC:
		return q.reads(wrs)
	}
	return 0
}

func (q *qp) writes(wrs []verbs.SendWR) int {
	w := way{needRemote: verbs.RemoteWrite}
	w.remote, _, _ = q.peer.look(wrs[0].RKey, q.peerPD, w.needRemote)
	w.remote.expect(wrs)
	for i := range wrs {
		wr := &wrs[i]
		src, dst, ok := w.find(q, wr)
		if !ok || wr.Op != verbs.OpWrite {
			return i
		}
		storeMessage(dst, src, uintptr(wr.Local.Length))
		if wr.Flags&verbs.Signaled != 0 {
			q.complete(wr, verbs.StatusSuccess)
		}
	}
	return len(wrs)
}

// reads prefetches a few requests ahead: READs mostly lead to different places of a large region.
func (q *qp) reads(wrs []verbs.SendWR) int {
	w := way{needLocal: verbs.LocalWrite, needRemote: verbs.RemoteRead}
	w.remote, _, _ = q.peer.look(wrs[0].RKey, q.peerPD, w.needRemote)
	for i := range min(readAhead, len(wrs)) {
		w.remote.touch(&wrs[i])
	}
	for i := range wrs {
		wr := &wrs[i]
		if ahead := i + readAhead; ahead < len(wrs) {
			w.remote.touch(&wrs[ahead])
		}
		dst, src, ok := w.find(q, wr)
		if !ok || wr.Op != verbs.OpRead {
			return i
		}
		move(dst, src, uintptr(wr.Local.Length))
		if wr.Flags&verbs.Signaled != 0 {
			q.complete(wr, verbs.StatusSuccess)
		}
	}
	return len(wrs)
}

// way is the two regions between which a list of requests copies.
type way struct {
	local, remote         grant
	needLocal, needRemote verbs.Access
}

// find returns both places of a request. It looks regions up only where they differ from the
// previous request's.
func (w *way) find(q *qp, wr *verbs.SendWR) (local, remote unsafe.Pointer, ok bool) {
	local, ok = w.local.span(wr.Local.LKey, wr.Local.Addr, wr.Local.Length)
	if !ok {
		w.local, _, _ = q.device.arena.look(wr.Local.LKey, q.pd, w.needLocal)
		local, ok = w.local.span(wr.Local.LKey, wr.Local.Addr, wr.Local.Length)
	}
	remote, reached := w.remote.span(wr.RKey, wr.Remote, wr.Local.Length)
	if !reached {
		w.remote, _, _ = q.peer.look(wr.RKey, q.peerPD, w.needRemote)
		remote, reached = w.remote.span(wr.RKey, wr.Remote, wr.Local.Length)
	}
	return local, remote, ok && reached
}

// touch prefetches what a READ will copy.
func (g *grant) touch(wr *verbs.SendWR) {
	if src, ok := g.span(wr.RKey, wr.Remote, wr.Local.Length); ok {
		prefetchRead(src, min((uintptr(wr.Local.Length)+lineBytes-1)/lineBytes, maxReadPrefetch))
	}
}

// expect prefetches the lines that a list will write to. Most lists write to consecutive slots.
func (g *grant) expect(wrs []verbs.SendWR) {
	first, last := &wrs[0], &wrs[len(wrs)-1]
	whole := last.Remote + uint64(last.Local.Length) - first.Remote
	if lines := (whole + lineBytes - 1) / lineBytes; lines <= maxPrefetch*uint64(len(wrs)) {
		if dst, ok := g.span(first.RKey, first.Remote, uint32(whole)); ok {
			prefetchWrite(dst, uintptr(lines))
		}
		return
	}
	for i := range wrs {
		wr := &wrs[i]
		if dst, ok := g.span(wr.RKey, wr.Remote, wr.Local.Length); ok {
			prefetchWrite(dst, min((uintptr(wr.Local.Length)+lineBytes-1)/lineBytes, maxPrefetch))
		}
	}
}

// datagrams does the same for datagrams. A list usually has a few runs to one destination each.
func (q *qp) datagrams(wrs []verbs.SendWR) int {
	var from grant
	n := 0
	for n < len(wrs) {
		r := q.routes.all[routeKey(wrs[n].AH, wrs[n].QPN)]
		if r == nil || !r.leads(q, &wrs[n]) {
			break
		}
		same := wrs[n : n+run(wrs[n:])]
		done := q.follow(r, same, &from)
		if n += done; done < len(same) {
			break
		}
	}
	return n
}

// follow sends datagrams to one destination, until one of them is wrong. It returns their number.
// from is the region of the previous datagram.
func (q *qp) follow(r *route, wrs []verbs.SendWR, from *grant) int {
	r.track.expect(len(wrs))
	for i := range wrs {
		wr := &wrs[i]
		src, ok := q.device.arena.base, wr.Local.Length == 0
		if !ok {
			if src, ok = from.span(wr.Local.LKey, wr.Local.Addr, wr.Local.Length); !ok {
				*from, _, _ = q.device.arena.look(wr.Local.LKey, q.pd, 0)
				src, ok = from.span(wr.Local.LKey, wr.Local.Addr, wr.Local.Length)
			}
		}
		if !ok || wr.QKey != r.qkey || wr.Local.Length > MTU || wr.Op != verbs.OpSendImm &&
			wr.Op != verbs.OpSend {
			return i
		}
		if !r.track.put(src, uintptr(wr.Local.Length), wr.Local.Length, flagsOf(wr), q.source(wr)) {
			r.peer.count(trackFull)
		}
		if wr.Flags&verbs.Signaled != 0 {
			q.complete(wr, verbs.StatusSuccess)
		}
	}
	return len(wrs)
}

// run returns the number of datagrams at the start of a list that have the same destination.
func run(wrs []verbs.SendWR) int {
	n := 1
	for n < len(wrs) && wrs[n].AH == wrs[0].AH && wrs[n].QPN == wrs[0].QPN {
		n++
	}
	return n
}

func (q *qp) notReady() error {
	if q.closed.Load() {
		return verbs.ErrClosed
	}
	return fmt.Errorf("post a send to QP %#x, which is not connected", q.number)
}

func (q *qp) complete(wr *verbs.SendWR, status verbs.WCStatus) {
	if q.completed.wcs == nil {
		q.completed.wcs = make([]verbs.WC, 1<<bits.Len(uint(q.send.depth)))
		q.send.add(&q.send.senders, q)
	}
	if !q.completed.put(verbs.WC{
		ID: wr.ID, QPN: q.number, Op: wr.Op.Completion(), Status: status,
		Bytes: wr.Local.Length,
	}) {
		q.device.arena.count(cqOverrun)
		q.overrun()
	}
	if status != verbs.StatusSuccess && q.kind == verbs.RC && !q.failed {
		q.failed = true
		q.device.events.Add(verbs.Event{
			Kind: "QP fatal", QPN: q.number,
			Err: fmt.Errorf("%s", status), Serious: true,
		})
	}
}

// overrun reports once that completions are lost.
func (q *qp) overrun() {
	if !q.overran {
		q.overran = true
		q.device.events.Add(verbs.Event{Kind: "CQ overrun", QPN: q.number, Serious: true})
	}
}

// do executes one work request of any kind. full: the request cannot be executed yet, and nothing
// of it was.
func (q *qp) do(wr *verbs.SendWR) (status verbs.WCStatus, full bool) {
	if q.failed {
		return verbs.StatusFlushed, false
	}
	src := q.device.arena.base
	if wr.Local.Length > 0 {
		need := verbs.Access(0)
		if wr.Op == verbs.OpRead {
			need = verbs.LocalWrite
		}
		var ok bool
		if src, _, ok = q.device.arena.find(wr.Local.LKey, q.pd, wr.Local.Addr, wr.Local.Length,
			need); !ok {
			q.device.arena.count(badLKey)
			return verbs.StatusLocalProtect, false
		}
	}
	switch {
	case q.kind == verbs.UD:
		return q.datagram(wr, src), false
	case wr.Op == verbs.OpWrite:
		return q.write(wr, src), false
	case wr.Op == verbs.OpWriteImm:
		return q.writeImm(wr, src)
	case wr.Op == verbs.OpSend || wr.Op == verbs.OpSendImm:
		return q.message(wr, src, flagsOf(wr), uintptr(wr.Local.Length))
	case wr.Op == verbs.OpRead && q.kind == verbs.RC:
		return q.read(wr, src), false
	}
	return verbs.StatusLocalQPOp, false
}

// write copies into the peer's memory. As with a NIC, a refused UC write looks like a lost one:
// only the peer's counters show it.
func (q *qp) write(wr *verbs.SendWR, src unsafe.Pointer) verbs.WCStatus {
	dst, status := q.reach(wr, verbs.RemoteWrite)
	if dst != nil {
		storeMessage(dst, src, uintptr(wr.Local.Length))
	}
	return status
}

func (q *qp) read(wr *verbs.SendWR, into unsafe.Pointer) verbs.WCStatus {
	from, status := q.reach(wr, verbs.RemoteRead)
	if from != nil {
		move(into, from, uintptr(wr.Local.Length))
	}
	return status
}

// reach checks that the peer still exists, and that it permits the access to its memory. If it
// returns no address, status is the result for this queue pair.
func (q *qp) reach(wr *verbs.SendWR, need verbs.Access) (unsafe.Pointer, verbs.WCStatus) {
	if why, ok := q.connected(); !ok {
		return nil, q.refused(why, verbs.StatusRetryExceeded)
	}
	if wr.Local.Length == 0 {
		return q.peer.base, verbs.StatusSuccess
	}
	dst, why, ok := q.peer.find(wr.RKey, q.peerPD, wr.Remote, wr.Local.Length, need)
	if !ok {
		return nil, q.refused(why, verbs.StatusRemoteAccess)
	}
	return dst, verbs.StatusSuccess
}

// connected reports whether the peer's queue pair exists and is connected to this one.
func (q *qp) connected() (counter, bool) {
	e := q.peer.queue(q.peerNumber)
	switch {
	case e.number.Load() != q.peerNumber:
		return badQPN, false
	case e.peer.Load() != q.number || e.peerTag.Load() != q.device.arena.tag ||
		e.kind.Load() != uint32(q.kind):
		return badPeer, false
	}
	return 0, true
}

// refused counts at the peer. It returns the sender's status: an error only on a reliable
// connection.
func (q *qp) refused(why counter, told verbs.WCStatus) verbs.WCStatus {
	q.peer.count(why)
	if q.kind == verbs.RC {
		return told
	}
	return verbs.StatusSuccess
}

func flagsOf(wr *verbs.SendWR) int {
	flags := flagPresent
	if wr.Op == verbs.OpSendImm || wr.Op == verbs.OpWriteImm {
		flags |= flagImm
	}
	return flags
}

// writeImm writes, and then sends the notice.
func (q *qp) writeImm(wr *verbs.SendWR, src unsafe.Pointer) (status verbs.WCStatus, full bool) {
	dst, status := q.reach(wr, verbs.RemoteWrite)
	if dst == nil {
		return status, false
	}
	storeMessage(dst, src, uintptr(wr.Local.Length))
	return q.message(wr, src, flagsOf(wr)|flagWrite, 0)
}

// message sends through the connection's track.
func (q *qp) message(
	wr *verbs.SendWR, src unsafe.Pointer, flags int, payload uintptr,
) (status verbs.WCStatus, full bool) {
	if why, ok := q.connected(); !ok {
		return q.refused(why, verbs.StatusRetryExceeded), false
	}
	reliable := q.kind == verbs.RC
	if q.toPeer == nil {
		t, why := q.seize(q.peer, q.peer.queue(q.peerNumber), uint64(q.peerNumber))
		if t == nil {
			if reliable && why == noReceive {
				return 0, true
			}
			return q.refused(why, verbs.StatusRetryExceeded), false
		}
		q.toPeer = t
	}
	if unitsFor(int(payload)) > q.toPeer.mask+1 {
		return q.refused(receiveTooSmall, verbs.StatusRemoteInvalid), false
	}
	if q.toPeer.put(src, payload, wr.Local.Length, flags, q.source(wr)) {
		return verbs.StatusSuccess, false
	}
	if reliable {
		return 0, true
	}
	return q.refused(trackFull, verbs.StatusSuccess), false
}

func (q *qp) source(wr *verbs.SendWR) uint64 {
	return uint64(q.number)<<sourceShift | uint64(wr.Imm)
}

// datagram sends to the work request's queue pair. A refused datagram is lost.
func (q *qp) datagram(wr *verbs.SendWR, src unsafe.Pointer) verbs.WCStatus {
	switch {
	case wr.Op != verbs.OpSend && wr.Op != verbs.OpSendImm:
		return verbs.StatusLocalQPOp
	case wr.Local.Length > MTU:
		return verbs.StatusLocalLength
	}
	r, at, why := q.to(wr)
	switch {
	case r == nil:
		at.count(why)
	case wr.QKey != r.qkey:
		at.count(badQKey)
	case !r.track.put(src, uintptr(wr.Local.Length), wr.Local.Length, flagsOf(wr), q.source(wr)):
		at.count(trackFull)
	}
	return verbs.StatusSuccess
}
