package softroce

import (
	"fmt"
	"net/netip"
	"sync"

	"dpukv/verbs"
	"dpukv/verbs/softroce/udp"
	"dpukv/verbs/softroce/wire"

	"golang.org/x/sys/unix"
)

const (
	// receiveMessages is the number of datagrams, or coalesced trains, per recvmmsg.
	receiveMessages = 32
	// messageBytes is the size of the largest train. Most messages use only the beginnings of the
	// buffers. The odd part of the size keeps these beginnings apart in the CPU's caches.
	messageBytes = 64<<10 + 5*64
)

// completeTogether is the most completions that wait for one another.
const completeTogether = 64

// receiver is a device's receive side. The holder of mu receives packets.
type receiver struct {
	mu     sync.Mutex
	device *device
	msgs   *udp.Messages
	buf    []byte

	*origin            // of the current packet
	origins [16]origin // most recent ones by port: a peer has a port per flow label
	ipID    uint16     // of the current packet
	nextID  uint16     // a guess
	packet  wire.Packet
	packets uint64
	bytes   uint64

	// completed are completions of one queue, so that its lock is taken once for all.
	completed []verbs.WC
	of        *cq

	answers *batch // ACKs and READ responses
	touched []*qp  // RC QPs with work to do once all packets are received
}

// origin is a source of packets.
type origin struct {
	source  netip.AddrPort
	address [4]byte   // of source
	flow    wire.Flow // of the packets of source
}

func (r *receiver) init(d *device) {
	r.device = d
	r.origin = &r.origins[0]
	r.msgs = udp.NewMessages(receiveMessages)
	r.buf = make([]byte, receiveMessages*messageBytes)
	for i := range receiveMessages {
		r.msgs.SetBuffer(i, r.buf[i*messageBytes:(i+1)*messageBytes])
		r.msgs.ReadyToReceive(i)
	}
	r.answers = newBatch(d)
	r.completed = make([]verbs.WC, 0, completeTogether)
}

// Progress takes the packets of one recvmmsg, answers them, and sends RC's overdue packets again.
// While one goroutine does that, calls of others return false at once.
func (d *device) Progress() (bool, error) {
	if !d.receiver.mu.TryLock() {
		return false, nil
	}
	defer d.receiver.mu.Unlock()
	d.objects.RLock()
	defer d.objects.RUnlock()
	if d.closed.Load() {
		return false, verbs.ErrClosed
	}
	expired := d.timers.expire(d)
	n, err := d.receiver.receive()
	d.receiver.flushCompletions()
	return n > 0 || expired, err
}

// receive calls recvmmsg once, and returns the number of messages.
func (r *receiver) receive() (int, error) {
	n, err := r.recvmmsg()
	c := &r.device.counters
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		c.add(rxEmpty, 1)
		return 0, nil
	case udp.Fatal(err):
		return 0, fmt.Errorf("receive on %s: %w", r.device.local, err)
	case err != nil:
		// The error concerns an earlier packet, or a lack of memory. The next call receives again.
		c.add(rxErrors, 1)
		return 0, nil
	}
	c.add(rxSyscalls, 1)
	r.packets, r.bytes = 0, 0
	for i := range n {
		r.message(i)
		r.msgs.ReadyToReceive(i)
	}
	c.add(rxPackets, r.packets)
	c.add(rxBytes, r.bytes)
	r.finish()
	return n, nil
}

func (r *receiver) recvmmsg() (int, error) {
	if hook := r.device.hooks.receiving; hook != nil {
		if err := hook(); err != nil {
			return 0, err
		}
	}
	return r.msgs.Receive(r.device.socket)
}

// message handles a datagram, or the packets of a train.
func (r *receiver) message(i int) {
	if r.msgs.Truncated(i) {
		r.device.counters.add(rxTruncated, 1)
		return
	}
	r.setOrigin(r.msgs.Source(i))
	all := r.buf[i*messageBytes : i*messageBytes+r.msgs.Bytes(i)]
	size := r.msgs.Segment(i)
	if size <= 0 {
		size = max(1, len(all))
	}
	r.bytes += uint64(len(all))
	r.nextID = 0
	for at := 0; at < len(all); at += size {
		r.packets++
		r.deliver(all[at:min(at+size, len(all))])
	}
}

// setOrigin finds the origin of a message.
func (r *receiver) setOrigin(from netip.AddrPort) {
	r.origin = &r.origins[int(from.Port())%len(r.origins)]
	if r.source != from {
		*r.origin = origin{from, from.Addr().As4(), wire.NewFlow(from, r.device.local)}
	}
}

func (r *receiver) deliver(b []byte) {
	if hook := r.device.hooks.received; hook != nil {
		hook(b, r.handle)
		return
	}
	r.handle(b)
}

// handle handles one packet: the payload of a UDP datagram.
func (r *receiver) handle(b []byte) {
	if why := r.check(b); why != noDrop {
		r.device.counters.add(why, 1)
	}
}

// check executes a packet's request, or returns the reason why not.
func (r *receiver) check(b []byte) counter {
	if len(b) < wire.BTHBytes+wire.ICRCBytes || len(b) > wire.MaxPacketBytes || len(b)&3 != 0 {
		return badPacket
	}
	id, ok := r.flow.CheckICRC(b, r.nextID)
	if !ok {
		return badICRC
	}
	if id != r.nextID {
		r.device.counters.add(ipIDsSolved, 1)
	}
	r.ipID, r.nextID = id, id+1
	p := &r.packet
	if why := p.Parse(b); why != wire.WellFormed {
		return faultCounters[why]
	}
	q := r.device.qps.find(p.DstQPN)
	if q == nil {
		return unknownQP
	}
	return r.dispatch(q, p)
}

func (r *receiver) dispatch(q *qp, p *wire.Packet) counter {
	switch {
	case p.Op&wire.TransportMask != wire.TransportOf(q.config.Type):
		return wrongTransport
	case q.is(stateInit):
		return notConnected
	case !q.is(stateReady):
		return qpInError
	case q.config.Type == verbs.UD:
		return q.receiveUD(p, r)
	case r.address != q.peerAddr:
		return wrongSource
	case q.config.Type == verbs.UC:
		return q.receiveUC(p)
	}
	return r.receiveRC(q, p)
}

// complete adds an empty completion of a receive, for the caller to fill. It becomes visible at the
// end of Progress, or with the next ones.
func (r *receiver) complete(c *cq) *verbs.WC {
	if r.of != c || len(r.completed) == cap(r.completed) {
		r.flushCompletions()
		r.of = c
	}
	n := len(r.completed)
	r.completed = r.completed[:n+1]
	r.completed[n] = verbs.WC{}
	return &r.completed[n]
}

func (r *receiver) flushCompletions() {
	if len(r.completed) > 0 {
		r.of.push(r.completed...)
		r.completed = r.completed[:0]
	}
}
