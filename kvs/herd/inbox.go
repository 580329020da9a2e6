package herd

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// inbox is one client's slots at one worker. After it was handed over it belongs to the worker's
// thread.
type inbox struct {
	client    *client
	worker    int  // whose slots these are
	workers   int  // of the server
	ending    bool // the client wrote nonsense, or can't be answered, and is being shown out
	slots     unsafe.Pointer
	slotBytes uintptr
	count     uint32   // of slots: a power of two
	next      uint32   // sequence of the request that comes next in order
	shapes    [8]shape // by operation, the last one that was legal; at first none
	// Of each slot, what was taken from it last, and how a write ended: a repeated write is
	// answered from here.
	taken   []control
	outcome []kvs.Status

	local  endpoint
	uc     verbs.QP
	ah     verbs.AH
	answer verbs.SendWR // an answer to this client, but for what differs
}

// newInbox connects to a client's queue pairs and makes ready for its first request. Also where it
// fails, there is an inbox to be closed.
func (w *worker) newInbox(c *client, slots []byte, peer endpoint) (in *inbox, err error) {
	s := w.server
	count := len(slots) / s.cfg.SlotBytes
	in = &inbox{
		client: c, worker: w.number, workers: len(s.workers),
		slots: unsafe.Pointer(&slots[0]), slotBytes: uintptr(s.cfg.SlotBytes), count: uint32(count),
		next:  uint32(count), // the lap of sequences 0 … is skipped: 0 is what an empty slot has
		taken: make([]control, count), outcome: make([]kvs.Status, count),
	}
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
		ID: uint64(c.number), // tells whose answer it is that can't be sent
		Op: verbs.OpSendImm, AH: in.ah.Handle(), QPN: peer.UD.QPN, QKey: peer.UD.QKey,
		Local: verbs.SGE{Addr: w.out.Addr(), LKey: w.out.LKey()},
	}
	return in, nil
}

func (in *inbox) close() error {
	var errs []error
	if in.uc != nil {
		errs = append(errs, in.uc.Close())
	}
	if in.ah != nil {
		errs = append(errs, in.ah.Close())
	}
	return errors.Join(errs...)
}

// end is the address behind a slot.
func (in *inbox) end(sequence uint32) unsafe.Pointer {
	return unsafe.Add(in.slots, uintptr(sequence&(in.count-1)+1)*in.slotBytes)
}

// peek loads a slot's control word with acquire order: if it is the one waited for, all of the
// request is there. On arm64 that is LDAR, which the plain loads of hash, key and value come after.
// A plain load would let Arm read the key first, before the control word that says that it is
// there, but for the accident that request computes the addresses from the word. amd64 never does,
// and so hides that mistake, from tests under an emulator too; TestOrderOfSlot shows it. What
// stores the word, and why in time, is in doc.go.
func (in *inbox) peek(sequence uint32) control {
	return control(atomic.LoadUint64((*uint64)(unsafe.Add(in.end(sequence), -wordBytes))))
}

// ready counts the requests in order that are there or were taken by a scan, up to most. It does
// nothing else: each slot is a cache line that a client or a device has just written, and a loop as
// short as this has many of them on their way at once.
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

// shape is what requests of one kind have in common: most have the one of the request before. Its
// zero value is that of no request, as shapeChecked is missing.
type shape struct {
	of                   control // the bits of shapeMask, and shapeChecked
	keyBytes, valueBytes int
	key, value           int // where they start, counted from the slot's end
}

// shapeChecked marks a shape that legal has passed. No word has it among its bits of shapeMask.
const shapeChecked = shapeMask + 1

// request checks the whole request that a control word describes, and takes it. Key and value stay
// where they are: who wrote them may write them again while they are read, and harms only what it
// stores. All that decides on addresses comes from c, which was loaded once, and from the hash,
// which is copied here.
func (in *inbox) request(c control, op *partition.Op) error {
	s := &in.shapes[c.op()]
	if c&shapeMask|shapeChecked != s.of {
		if err := c.legal(int(in.slotBytes), in.client.server.maxValue); err != nil {
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
		return fmt.Errorf("request %d: found a key hash of worker %d's in a slot at worker %d",
			c.sequence(), owner, in.worker)
	}
	op.Code = c.op()
	op.Hash = hash
	op.Key = unsafe.Slice((*byte)(unsafe.Add(end, s.key)), s.keyBytes)
	op.Value = unsafe.Slice((*byte)(unsafe.Add(end, s.value)), s.valueBytes)
	return nil
}
