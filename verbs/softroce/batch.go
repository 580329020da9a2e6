package softroce

import (
	"fmt"
	"net/netip"
	"time"

	"dpukv/internal/cpu"
	"dpukv/verbs"
	"dpukv/verbs/softroce/udp"
	"dpukv/verbs/softroce/wire"

	"golang.org/x/sys/unix"
)

const (
	// maxTrainBytes keeps a train within one IP packet, which it is until it is cut.
	maxTrainBytes = 65535 - wire.PseudoHeaderBytes
	// batchTrains and batchBytes limit the contents of one sendmmsg.
	batchTrains = 64
	batchBytes  = 256 << 10
)

// batch gathers packets into trains. A train has packets of one size from one socket to one peer;
// only the last may be shorter. The kernel receives a train as one datagram. It cuts the train, or
// leaves it whole if the receiver is on the same machine. One goroutine at a time may use a batch.
type batch struct {
	device  *device
	msgs    *udp.Messages
	trains  []train
	buf     []byte
	used    int
	packets int
	// fullSince is the time since which the queue has been full and has taken nothing; 0: it is not
	// full. See [cpu.NowNs].
	fullSince int64
	// packet is the packet under construction. It is too large to be copied from call to call.
	packet wire.Packet
}

// train is one message of a batch: buf[start:batch.used] while it is the last.
type train struct {
	path       *path
	start, end int
	size       int // of every packet but the last
	count      int
	full       bool
}

func newBatch(d *device) *batch {
	return &batch{
		device: d, msgs: udp.NewMessages(batchTrains), trains: make([]train, 0, batchTrains),
		buf: make([]byte, batchBytes),
	}
}

// add appends a packet to the batch. If the batch has no room, add sends it first.
func (b *batch) add(to *path, p *wire.Packet) error {
	out, id, err := b.reserve(to, p.Bytes())
	if err != nil {
		return err
	}
	p.Put(out)
	to.flow.Seal(out, id)
	return nil
}

// reserve makes room for a packet and returns its IP ID: its place in the train.
func (b *batch) reserve(to *path, n int) ([]byte, uint16, error) {
	if b.used+n > len(b.buf) {
		if err := b.flush(); err != nil {
			return nil, 0, err
		}
	}
	t := b.last()
	if t == nil || !t.fits(to, n) || !to.gso.Load() {
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

// fits reports whether a packet of n bytes may follow.
func (t *train) fits(to *path, n int) bool {
	return !t.full && n <= t.size && t.end-t.start+n <= maxTrainBytes &&
		(t.path == to || t.path.name == to.name && t.path.socket == to.socket)
}

// flush sends the batch. Packets that the kernel does not take are lost, as on a wire. An error
// concerns the device.
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
	b.msgs.SetBuffer(i, b.buf[t.start:t.end])
	b.msgs.SetDestination(i, &t.path.name)
	if t.count > 1 {
		b.msgs.SetSegment(i, t.size)
	} else {
		b.msgs.SetSegment(i, 0)
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

// show passes the packets of a train to a test.
func (b *batch) show(t *train) {
	for i := range t.count {
		from := t.start + i*t.size
		b.device.hooks.sent(t.path, uint16(i), b.buf[from:min(from+t.size, t.end)])
	}
}

const (
	// fullQueueTimeout is how long a batch waits for room in a full queue before packets are lost.
	fullQueueTimeout = 200 * time.Millisecond
	// fullQueueMs is the longest time between two looks at a full queue.
	fullQueueMs = 10
)

// send passes all trains to the kernel, with one call per socket if the kernel takes them. A train
// that the kernel refuses is lost, as on a wire, and the others still go out. Only an error of the
// device itself ends the batch.
func (b *batch) send() error {
	b.fullSince = 0
	for from := 0; from < len(b.trains); {
		n, err := b.sendFrom(from, b.sameSocket(from))
		if from += n; n > 0 {
			b.hadRoom()
		}
		if err == nil || b.worthAnotherTry(from, err) {
			continue
		}
		if udp.Fatal(err) {
			return b.deviceLost(from, err)
		}
		if err == unix.EIO && b.trains[from].count > 1 {
			// This route cannot compute checksums, so it cannot cut trains either.
			b.device.refuseGSO(b.trains[from].path)
			if err := b.sendSingly(from); err != nil {
				return err
			}
		} else {
			b.lost(from, err)
		}
		from++
	}
	return nil
}

// sameSocket returns the end of the trains, from one on, that leave by the same socket.
func (b *batch) sameSocket(from int) int {
	to := from + 1
	for to < len(b.trains) && b.trains[to].path.socket == b.trains[from].path.socket {
		to++
	}
	return to
}

func (b *batch) sendFrom(from, to int) (int, error) {
	b.device.counters.add(txSyscalls, 1)
	if b.device.hooks.sending != nil {
		var err error
		if to, err = b.hooked(from, to); err != nil {
			return 0, err
		}
	}
	return b.msgs.Send(b.trains[from].path.socket, from, to)
}

// hooked returns how far a test lets trains go out. As with the kernel, only an error of the first
// train is reported.
func (b *batch) hooked(from, to int) (int, error) {
	for i := from; i < to; i++ {
		if err := b.device.hooks.sending(b.trains[i].path, b.trains[i].count); err != nil &&
			i > from {
			return i, nil
		} else if err != nil {
			return from, err
		}
	}
	return to, nil
}

// worthAnotherTry reports whether an error may pass, and waits for that.
func (b *batch) worthAnotherTry(i int, err error) bool {
	switch err {
	case unix.EINTR:
		return true
	case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
		return b.awaitRoom(b.trains[i].path.socket, err)
	}
	return false
}

// awaitRoom waits for a moment, unless the time limit is reached. After a full queue has timed out
// once, it does not wait again until the queue has taken something. Unreachable peers can fill the
// queue; they must not delay everybody's next list too.
func (b *batch) awaitRoom(s *udp.Socket, err error) bool {
	now := cpu.NowNs()
	switch {
	case b.fullSince == 0 && b.device.stuck.Load():
		return false
	case b.fullSince == 0:
		b.fullSince = now
	case now-b.fullSince > int64(fullQueueTimeout):
		b.device.stuck.Store(true)
		return false
	}
	if err == unix.EAGAIN {
		s.WaitWritable(fullQueueMs)
	} else {
		time.Sleep(time.Millisecond) // another queue than the socket's is full
	}
	return true
}

// hadRoom records that the queue took something.
func (b *batch) hadRoom() {
	b.fullSince = 0
	if b.device.stuck.Load() {
		b.device.stuck.Store(false)
	}
}

// sendSingly sends a train's packets one by one, with the ICRCs of single packets.
func (b *batch) sendSingly(i int) error {
	whole := b.trains[i]
	defer func() { b.trains[i] = whole }()
	for from := whole.start; from < whole.end; from += whole.size {
		p := b.buf[from:min(from+whole.size, whole.end)]
		whole.path.flow.Seal(p, 0)
		b.trains[i] = train{
			path: whole.path, start: from, end: from + len(p), size: len(p),
			count: 1,
		}
		b.fill(i)
		_, err := b.sendFrom(i, i+1)
		for err != nil && b.worthAnotherTry(i, err) {
			_, err = b.sendFrom(i, i+1)
		}
		if udp.Fatal(err) {
			return b.deviceLost(i, err)
		}
		if err != nil {
			b.lost(i, err)
		} else {
			b.hadRoom()
		}
	}
	return nil
}

// lost counts a train that the kernel refused, and reports the reason once in a while.
func (b *batch) lost(i int, err error) {
	t, d := &b.trains[i], b.device
	why := refusal(err, t.count)
	d.counters.add(txErrors, uint64(t.count))
	d.counters.add(refusals[why].counter, uint64(t.count))
	last, now := &d.refusalTimes[why], cpu.NowNs()
	before := last.Load()
	if before != 0 && now-before < int64(refusalEventInterval) ||
		!last.CompareAndSwap(before, now) {
		return
	}
	d.events.Add(verbs.Event{
		Kind: refusals[why].event, Err: t.refusalError(why, err),
		Serious: true,
	})
}

func (t *train) refusalError(why int, err error) error {
	advice := refusals[why].advice
	if refusals[why].counter == txTooLong {
		advice = fmt.Sprintf(advice, t.size)
	}
	if advice != "" {
		advice = "; " + advice
	}
	return fmt.Errorf("send to %s: %w%s", netip.AddrFrom4(t.path.name.Addr), err, advice)
}

// deviceLost counts all trains from one on as lost to an error of the device.
func (b *batch) deviceLost(from int, err error) error {
	for i := range b.trains[from:] {
		b.device.counters.add(txErrors, uint64(b.trains[from+i].count))
	}
	return fmt.Errorf("send from %s: %w", b.device.local, err)
}
