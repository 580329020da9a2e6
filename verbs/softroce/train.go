package softroce

import "dpukv/verbs/softroce/wire"

import (
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// maxTrainBytes keeps a train within an IP packet, which it is until it is cut.
	maxTrainBytes = 65535 - wire.PseudoHeaderBytes
	// batchTrains and batchBytes are what one sendmmsg takes.
	batchTrains = 64
	batchBytes  = 256 << 10
)

// path is the way to a peer.
type path struct {
	name   unix.RawSockaddrInet4
	flow   wire.Flow
	socket *socket // to send from
	// gso: the kernel cuts trains on this way. It has an address of its own, as paths are copied.
	gso *atomic.Bool
}

// batch gathers packets into trains: packets of one size from one socket to one peer, of which only the last may be shorter. A
// train goes to the kernel as one datagram that it cuts, or leaves whole where the receiver is on the same
// machine. Calls come from one goroutine at a time.
type batch struct {
	device  *device
	msgs    *messages
	trains  []train
	buf     []byte
	used    int
	packets int
	// fullSince is when the queue was found full, and took nothing since; 0: it is not. See
	// [cpu.NowNs].
	fullSince int64
	// packet is the one being made: too large to be copied from call to call.
	packet wire.Packet
}

// train is one message of a batch: buf[start:batch.used] while it is the last.
type train struct {
	path       *path
	start, end int
	size       int // of each packet but the last
	count      int
	full       bool
}

func newBatch(d *device) *batch {
	return &batch{
		device: d, msgs: newMessages(batchTrains), trains: make([]train, 0, batchTrains), buf: make([]byte, batchBytes),
	}
}

// add puts a packet at the end of the batch, sending what is there when it has no room.
func (b *batch) add(to *path, p *wire.Packet) error {
	out, id, err := b.reserve(to, p.Bytes())
	if err != nil {
		return err
	}
	p.Put(out)
	to.flow.Seal(out, id)
	return nil
}

// reserve makes room for a packet and tells its IP ID: its place in the train.
func (b *batch) reserve(to *path, n int) ([]byte, uint16, error) {
	if b.used+n > len(b.buf) {
		if err := b.flush(); err != nil {
			return nil, 0, err
		}
	}
	t := b.last()
	if t == nil || !t.takes(to, n) || !to.gso.Load() {
		if len(b.trains) == batchTrains {
			if err := b.flush(); err != nil {
				return nil, 0, err
			}
		}
		b.trains = append(b.trains, train{path: to, start: b.used, end: b.used, size: n})
		t = b.last()
	}
	id := t.count
	out := b.buf[b.used : b.used+n : b.used+n]
	b.used += n
	b.packets++
	t.end = b.used
	t.count++
	t.full = n < t.size || t.count == wire.MaxSegments
	return out, uint16(id), nil
}

func (b *batch) last() *train {
	if len(b.trains) == 0 {
		return nil
	}
	return &b.trains[len(b.trains)-1]
}

// takes tells whether a packet of n bytes may follow.
func (t *train) takes(to *path, n int) bool {
	return !t.full && n <= t.size && t.end-t.start+n <= maxTrainBytes && (t.path == to || t.path.name == to.name && t.path.socket == to.socket)
}

// flush sends the batch. What the kernel did not take is lost, as on a wire; an error is the device's.
func (b *batch) flush() error {
	if len(b.trains) == 0 {
		return nil
	}
	for i := range b.trains {
		b.fill(i)
	}
	b.count()
	err := b.send()
	b.trains, b.used, b.packets = b.trains[:0], 0, 0
	return err
}

func (b *batch) fill(i int) {
	t := &b.trains[i]
	b.msgs.setBuffer(i, b.buf[t.start:t.end])
	b.msgs.setDestination(i, &t.path.name)
	if t.count > 1 {
		b.msgs.setSegment(i, t.size)
	} else {
		b.msgs.setSegment(i, 0)
	}
}

func (b *batch) count() {
	c := &b.device.counters
	c.add(txPackets, uint64(b.packets))
	c.add(txBytes, uint64(b.used))
	c.add(txTrains, uint64(len(b.trains)))
	if b.device.hooks.sent != nil {
		for i := range b.trains {
			b.show(&b.trains[i])
		}
	}
}

// show hands the packets of a train to a test.
func (b *batch) show(t *train) {
	for i := range t.count {
		from := t.start + i*t.size
		b.device.hooks.sent(t.path, uint16(i), b.buf[from:min(from+t.size, t.end)])
	}
}
