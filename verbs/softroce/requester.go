package softroce

import "dpukv/verbs/softroce/wire"

import (
	"fmt"
	"sync"

	"dpukv/verbs"
)

const (
	// maxWindow is the most packets that RC has unacknowledged, and readPart the most that one READ request
	// asks for: a longer READ becomes several, so that its answers do not overrun the receive buffer.
	maxWindow = 256
	readPart  = 32
	// maxReads is how many READ requests are on the way at once. A NIC at the other end must be set up to take
	// as many (max_dest_rd_atomic).
	maxReads = 16
	// ackEvery is how many packets go out until one asks for an ACK, whatever the requests say.
	ackEvery = 32
	// perPacketBytes is what the kernel charges the receive buffer for a packet beyond its payload.
	perPacketBytes = 1024
	// timeoutDoublings bounds the time between two tries.
	timeoutDoublings = 7
)

// entry is a send request on its way.
type entry struct {
	wr      verbs.SendWR
	first   uint64 // sequence number of its first packet
	packets uint64 // and how many numbers it takes
	inline  []byte // its data, when it was posted inline
}

func (e *entry) end() uint64 { return e.first + e.packets }

// requester is the send side of an RC QP: go-back-N over a window of packets. Packets have sequence numbers
// that do not wrap; the PSN is their low 24 bits, from the QP's first PSN.
//
//	acked ≤ next ≤ end, next ≤ sent
type requester struct {
	q  *qp
	mu sync.Mutex

	ring           []entry // entry i lies at i modulo its length
	oldest, newest uint64  // entries not completed; newest is the next one posted
	cursor         uint64  // the entry of next, or newest

	acked uint64 // everything below is done
	next  uint64 // the next to go out
	end   uint64 // of what is posted
	sent  uint64 // of what went out at any time

	reads  []uint64 // ends of the READ requests on the way
	window uint64

	deadline int64 // 0: none
	tries    int   // times without progress
	rnrTries int
	notReady bool // the peer asked to wait until the deadline
	stuck    bool // the next request's memory is gone
	wentBack bool // since there was progress: one loss shows in many packets
}

func newRequester(q *qp) *requester {
	window := q.device.socket.receiveBytes / 2 / (q.mtu + perPacketBytes)
	return &requester{
		q: q, ring: make([]entry, q.config.MaxSend), reads: make([]uint64, 0, maxReads),
		window: uint64(min(max(window, 2*readPart), maxWindow)),
	}
}

func (r *requester) entry(i uint64) *entry { return &r.ring[i%uint64(len(r.ring))] }

func (r *requester) psn(sequence uint64) uint32 {
	return (r.q.psn + uint32(sequence)) & wire.PSNMask
}

// sequence is the number nearest to acked with a PSN.
func (r *requester) sequence(psn uint32) int64 {
	return int64(r.acked) + int64(wire.PSNDiff(psn, r.psn(r.acked)))
}

// post takes requests, and sends what the window lets through.
func (r *requester) post(wrs []verbs.SendWR) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	var err error
	for ; n < len(wrs) && err == nil; n++ {
		err = r.append(&wrs[n])
	}
	if err != nil {
		n--
		err = fmt.Errorf("send %d of the list: %w", n, err)
	}
	r.pump()
	return n, err
}

func (r *requester) append(wr *verbs.SendWR) error {
	if err := r.q.usable(true); err != nil { // once more, now that no failure can come between
		return err
	}
	if r.newest-r.oldest == uint64(len(r.ring)) {
		return fmt.Errorf("%w: it holds %d", verbs.ErrQueueFull, len(r.ring))
	}
	data, err := r.q.check(wr)
	if err != nil {
		return err
	}
	e := r.entry(r.newest)
	e.wr, e.first, e.packets = *wr, r.end, uint64(packetsOf(len(data), r.q.mtu))
	if wr.Flags&verbs.Inline != 0 {
		e.inline = append(e.inline[:0], data...)
	}
	r.end = e.end()
	r.newest++
	return nil
}

// data is the memory of a request, which may have gone since it was posted.
func (r *requester) data(e *entry) ([]byte, error) {
	if e.wr.Flags&verbs.Inline != 0 {
		return e.inline, nil
	}
	return r.q.check(&e.wr)
}
