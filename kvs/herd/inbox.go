package herd

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// inbox holds one client's slots at one worker. After the hand-over it belongs to the worker's
// thread.
type inbox struct {
	client    *client
	worker    int  // the worker that owns these slots
	workers   int  // of the server
	ending    bool // being disconnected: its request is illegal, or it can't be answered
	inOrder   bool // what follows a request that is missing waits for it
	slots     unsafe.Pointer
	slotBytes uintptr
	whole     int      // longer requests have a check word
	checks    bool     // some requests do
	count     uint32   // of slots: a power of two
	next      uint32   // sequence of the next request in order
	shapes    [8]shape // by operation, the last legal one; at first none
	// These hold, for each slot, the control word taken last and the outcome of a write. Repeated
	// writes are answered from here.
	taken   []control
	outcome []kvs.Status

	local  endpoint
	uc     verbs.QP
	ah     verbs.AH
	answer verbs.SendWR // template of an answer to this client
}

// newInbox connects to a client's queue pairs and prepares for its first request. It returns an
// inbox to be closed even if it fails.
func (w *worker) newInbox(c *client, slots []byte, peer endpoint) (in *inbox, err error) {
	s := w.server
	count := len(slots) / s.cfg.SlotBytes
	in = &inbox{
		client: c, worker: w.number, workers: len(s.workers),
		slots: unsafe.Pointer(&slots[0]), slotBytes: uintptr(s.cfg.SlotBytes), count: uint32(count),
		next:  uint32(count), // skips the lap of sequences 0 …: 0 marks an empty slot
		taken: make([]control, count), outcome: make([]kvs.Status, count),
		whole: wholeBytes(
			s.device.Info().Placement.With(peer.UC.Device.Placement), s.cfg.SlotBytes),
	}
	in.checks = in.whole < s.cfg.SlotBytes
	in.uc, err = c.pd.CreateQP(verbs.QPConfig{
		Type: verbs.UC, SendCQ: w.cq, RecvCQ: w.cq, MaxSend: 1,
	})
	if err != nil {
		return in, err
	}
	in.local = endpoint{UC: in.uc.Local(), UD: w.ud.Local()}
	if err = in.uc.Connect(peer.UC); err != nil {
		return in, err
	}
	if in.ah, err = s.pd.CreateAH(peer.UD); err != nil {
		return in, err
	}
	in.answer = verbs.SendWR{
		ID: uint64(c.number), // identifies the client of a failed answer
		Op: verbs.OpSendImm, AH: in.ah.Handle(), QPN: peer.UD.QPN, QKey: peer.UD.QKey,
		Local: verbs.SGE{Addr: w.out.Addr(), LKey: w.out.LKey()},
	}
	return in, nil
}

func (in *inbox) close() error { return verbs.Close(in.uc, in.ah) }

// end returns the address behind a slot.
func (in *inbox) end(sequence uint32) unsafe.Pointer {
	return unsafe.Add(in.slots, uintptr(sequence&(in.count-1)+1)*in.slotBytes)
}

// peek loads a slot's control word with acquire order. If it is the expected one, the whole request
// is visible. On arm64 the load is an LDAR, which orders the later plain loads of hash, key and
// value behind it. A plain load would let Arm read the key before the control word that announces
// it. Only by accident is that prevented here: request computes the addresses from the word. amd64
// never reorders loads, and so hides that mistake, also from tests under an emulator;
// TestOrderOfSlot shows it. doc.go says who stores the word, and why in time.
func (in *inbox) peek(sequence uint32) control {
	return control(atomic.LoadUint64((*uint64)(unsafe.Add(in.end(sequence), -wordBytes))))
}

// ready counts the requests in order that are present or were taken by a scan, up to most. It does
// nothing else. Each slot is a cache line that a client or a device has just written, and so short
// a loop keeps many of these misses in flight.
func (in *inbox) ready(most int) (n int) {
	for n < most {
		sequence := in.next + uint32(n)
		if in.peek(sequence).sequence() != sequence&sequenceMask {
			break
		}
		n++
	}
	if n == 0 && in.taken[in.next&(in.count-1)].sequence() == in.next&sequenceMask {
		return 1
	}
	return n
}

// arrived reports whether the request that a control word describes is there as a whole. The word
// does not show that where the devices promise no order of a request's lines. The caller looks
// again later. An illegal word has arrived.
func (in *inbox) arrived(c control) bool {
	n := requestBytes(c.keyBytes(), c.valueBytes(), in.whole)
	if n <= in.whole || n > int(in.slotBytes) {
		return true
	}
	end := in.end(c.sequence())
	return intact(unsafe.Slice((*byte)(unsafe.Add(end, -n)), n), c)
}

// shape holds the properties that requests of one kind share. Most requests have the shape of their
// predecessor. The zero value matches no request, because it lacks shapeChecked.
type shape struct {
	of                   control // the bits of shapeMask, and shapeChecked
	keyBytes, valueBytes int
	key, value           int // their offsets from the slot's end
}

// shapeChecked marks a shape that legal has accepted. No word has it among its bits of shapeMask.
const shapeChecked = shapeMask + 1

// request checks the whole request that a control word describes, and takes it. Key and value stay
// in place. The client may write them again while the worker reads them, which harms only the
// stored item. All addresses derive from c, which was loaded once, and from the hash, which is
// copied here.
func (in *inbox) request(c control, op *partition.Op) error {
	s := &in.shapes[c.op()]
	if c&shapeMask|shapeChecked != s.of {
		if err := c.legal(int(in.slotBytes), in.client.server.maxValue, in.whole); err != nil {
			return fmt.Errorf("request %d: %w", c.sequence(), err)
		}
		key := -tailBytes - padded(c.keyBytes())
		*s = shape{
			c&shapeMask | shapeChecked, c.keyBytes(), c.valueBytes(),
			key, key - padded(c.valueBytes()),
		}
	}
	end := in.end(c.sequence())
	hash := *(*uint64)(unsafe.Add(end, -tailBytes))
	if owner := partition.PartitionOf(hash, in.workers); owner != in.worker {
		return fmt.Errorf("request %d: found a key hash of worker %d in a slot at worker %d",
			c.sequence(), owner, in.worker)
	}
	op.Code = c.op()
	op.Hash = hash
	op.Key = unsafe.Slice((*byte)(unsafe.Add(end, s.key)), s.keyBytes)
	op.Value = unsafe.Slice((*byte)(unsafe.Add(end, s.value)), s.valueBytes)
	return nil
}
