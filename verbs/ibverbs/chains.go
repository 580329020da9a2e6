//go:build linux && (amd64 || arm64) && !static

package ibverbs

import (
	"math/bits"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"dpukv/verbs"
)

// chain is what C sees of a list of work requests. Its memory is pinned: C reads it.
type chain struct {
	first uintptr  // address of the first work request
	size  uintptr  // of a work request
	bad   *uintptr // C writes the address of the refused one here
	pin   runtime.Pinner
}

// sendList has room for a chunk of chained send work requests, each with its buffer.
type sendList struct {
	chain
	wrs  []ibvSendWR
	sges []ibvSGE
	cut  int // the request whose link to the next one is cut
}

// newSendList makes a list for a queue of this depth.
func newSendList(depth int) *sendList {
	n := max(1, min(depth, chunk))
	s := &sendList{wrs: make([]ibvSendWR, n), sges: make([]ibvSGE, n), cut: n - 1}
	s.size, s.bad = unsafe.Sizeof(ibvSendWR{}), new(uintptr)
	s.pin.Pin(&s.wrs[0])
	s.pin.Pin(&s.sges[0])
	s.pin.Pin(s.bad)
	s.first = uintptr(unsafe.Pointer(&s.wrs[0]))
	for i := range s.wrs {
		s.wrs[i].sgList = uintptr(unsafe.Pointer(&s.sges[i]))
		if i > 0 {
			s.wrs[i-1].next = s.address(i)
		}
	}
	return s
}

func (s *sendList) address(i int) uintptr { return s.first + uintptr(i)*s.size }

// build fills in work requests up to the first bad one, and returns their number.
func (s *sendList) build(from []verbs.SendWR, ahs *ahTable, ud bool) (n int, bad syscall.Errno) {
	for n = range from {
		if !s.wrs[n].set(&s.sges[n], &from[n], ahs, ud) {
			s.end(n)
			return n, unix.EINVAL
		}
	}
	s.end(len(from))
	return len(from), 0
}

// end makes the list n requests long.
func (s *sendList) end(n int) {
	if s.cut+1 < len(s.wrs) {
		s.wrs[s.cut].next = s.address(s.cut + 1)
	}
	if n > 0 {
		s.cut = n - 1
		s.wrs[s.cut].next = 0
	}
}

// set fills in one work request. It returns false for an invalid one.
func (w *ibvSendWR) set(sge *ibvSGE, from *verbs.SendWR, ahs *ahTable, ud bool) bool {
	if from.Op < verbs.OpWrite || from.Op > verbs.OpRead {
		return false
	}
	*sge = ibvSGE{from.Local.Addr, from.Local.Length, from.Local.LKey}
	w.wrID, w.numSGE = from.ID, elements(from.Local)
	w.opcode, w.sendFlags = opcodes[from.Op], sendFlags(from.Flags)
	w.immData = bits.ReverseBytes32(from.Imm)
	if !ud {
		w.target, w.key = from.Remote, from.RKey
		return true
	}
	w.target = uint64(ahs.get(from.AH))
	w.key, w.remoteQKey = from.QPN, from.QKey
	return w.target != 0
}

var opcodes = [...]int32{
	verbs.OpWrite: wrRDMAWrite, verbs.OpWriteImm: wrRDMAWriteImm, verbs.OpSend: wrSend,
	verbs.OpSendImm: wrSendImm, verbs.OpRead: wrRDMARead,
}

// elements is the number of buffers: a request without data has none.
func elements(s verbs.SGE) int32 {
	if s.Length == 0 {
		return 0
	}
	return 1
}

func sendFlags(f verbs.SendFlags) (flags uint32) {
	if f&verbs.Signaled != 0 {
		flags |= sendSignaled
	}
	if f&verbs.Inline != 0 {
		flags |= sendInline
	}
	if f&verbs.Solicited != 0 {
		flags |= sendSolicited
	}
	return flags
}

// recvList has room for a chunk of chained receive work requests, each with its buffer.
type recvList struct {
	chain
	wrs  []ibvRecvWR
	sges []ibvSGE
}

// newRecvList makes a list for a queue of this depth.
func newRecvList(depth int) *recvList {
	n := max(1, min(depth, chunk))
	r := &recvList{wrs: make([]ibvRecvWR, n), sges: make([]ibvSGE, n)}
	r.size, r.bad = unsafe.Sizeof(ibvRecvWR{}), new(uintptr)
	r.pin.Pin(&r.wrs[0])
	r.pin.Pin(&r.sges[0])
	r.pin.Pin(r.bad)
	r.first = uintptr(unsafe.Pointer(&r.wrs[0]))
	for i := range r.wrs {
		r.wrs[i].sgList = uintptr(unsafe.Pointer(&r.sges[i]))
	}
	return r
}

// build fills in as many work requests, and chains them.
func (r *recvList) build(from []verbs.RecvWR) {
	for i := range from {
		local := &from[i].Local
		r.sges[i] = ibvSGE{local.Addr, local.Length, local.LKey}
		w := &r.wrs[i]
		w.wrID, w.numSGE, w.next = from[i].ID, elements(*local), 0
		if i > 0 {
			r.wrs[i-1].next = r.first + uintptr(i)*r.size
		}
	}
}
