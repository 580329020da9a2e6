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
	// maxTrainBytes keeps a train within an IP packet, which it is until it is cut.
	maxTrainBytes = 65535 - wire.PseudoHeaderBytes
	// batchTrains and batchBytes are what one sendmmsg takes.
	batchTrains = 64
	batchBytes  = 256 << 10
)

// batch gathers packets into trains: packets of one size from one socket to one peer, of which only
// the last may be shorter. A train goes to the kernel as one datagram that it cuts, or leaves whole
// where the receiver is on the same machine. Calls come from one goroutine at a time.
type batch struct {
	device  *device
	msgs    *udp.Messages
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
		device: d, msgs: udp.NewMessages(batchTrains), trains: make([]train, 0, batchTrains), buf: make([]byte, batchBytes),
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

// flush sends the batch. What the kernel did not take is lost, as on a wire; an error is the
// device's.
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

// show hands the packets of a train to a test.
func (b *batch) show(t *train) {
	for i := range t.count {
		from := t.start + i*t.size
		b.device.hooks.sent(t.path, uint16(i), b.buf[from:min(from+t.size, t.end)])
	}
}

const (
	// fullQueueTimeout is how long a batch waits for room in a queue that stays full, until packets
	// are lost to it.
	fullQueueTimeout = 200 * time.Millisecond
	// fullQueueMs is when the queue is looked at again at the latest.
	fullQueueMs = 10
)

// send gives all trains to the kernel, with one call a socket if it takes them. A train that the
// kernel refuses is lost, as on a wire, and the others still go out. Only an error of the device
// itself ends the batch.
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
			// The way out cannot make checksums, so it cannot cut trains either.
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

// sameSocket is the end of those trains from one on that leave by one socket.
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

// hooked is how far a test lets trains go out. As of the kernel, an error is heard of the first
// only.
func (b *batch) hooked(from, to int) (int, error) {
	for i := from; i < to; i++ {
		if err := b.device.hooks.sending(b.trains[i].path, b.trains[i].count); err != nil && i > from {
			return i, nil
		} else if err != nil {
			return from, err
		}
	}
	return to, nil
}

// worthAnotherTry tells whether an error may pass, after a wait for that.
func (b *batch) worthAnotherTry(i int, err error) bool {
	switch err {
	case unix.EINTR:
		return true
	case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
		return b.awaitRoom(b.trains[i].path.socket, err)
	}
	return false
}

// awaitRoom waits for a moment, unless the time limit is reached. A queue that stayed full once is
// not waited for again until something has found room in it: peers at which nobody answers can fill
// it, and are not to hold up everybody's next list too.
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
		time.Sleep(time.Millisecond) // it is not the socket's queue that is full
	}
	return true
}

// hadRoom notes that the queue took something.
func (b *batch) hadRoom() {
	b.fullSince = 0
	if b.device.stuck.Load() {
		b.device.stuck.Store(false)
	}
}

// sendSingly sends a train's packets one by one, with the ICRCs of packets on their own.
func (b *batch) sendSingly(i int) error {
	whole := b.trains[i]
	defer func() { b.trains[i] = whole }()
	for from := whole.start; from < whole.end; from += whole.size {
		p := b.buf[from:min(from+whole.size, whole.end)]
		whole.path.flow.Seal(p, 0)
		b.trains[i] = train{path: whole.path, start: from, end: from + len(p), size: len(p), count: 1}
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

// lost counts a train that the kernel refused, and tells the reason once in a while.
func (b *batch) lost(i int, err error) {
	t, d := &b.trains[i], b.device
	why := refusal(err, t.count)
	d.counters.add(txErrors, uint64(t.count))
	d.counters.add(refusals[why].counter, uint64(t.count))
	last, now := &d.refusalTimes[why], cpu.NowNs()
	before := last.Load()
	if before != 0 && now-before < int64(refusalEventInterval) || !last.CompareAndSwap(before, now) {
		return
	}
	d.events.Add(verbs.Event{Kind: refusals[why].event, Err: t.refusalError(why, err), Serious: true})
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
