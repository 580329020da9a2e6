package herd

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"dpukv/kvs"
	"dpukv/kvs/internal/simulation"
	"dpukv/verbs"
)

// simDevice is a NIC as the server sees it, with a NIC's checks of incoming messages. A link can use
// it, too: see simPair.
type simDevice struct {
	mu        sync.Mutex // clients join and leave on goroutines of their own
	world     *simulation.World
	maxInline int
	late      bool // reads memory only when completions are looked for
	promised  verbs.Placement

	next    uint32
	regions map[uint32]*simRegion
	queues  map[uint32]*simQueue
	handles map[uint32]*simHandle
	domains int

	completions []*simCQ

	failOneIn   int    // calls that make something, for each that fails
	stuckBefore uint32 // some queue pairs with lower numbers don't close
	loseOneIn   int
	fullOneIn   int
	deliver     func(qpn uint32, word answer, value []byte) // an answer arrives
	meanwhile   func()                                      // what clients write while the server works
	unsendable  map[uint32]sendFault                        // by the peer's QPN
	abandoned   int
}

// sendFault is how an answer to a peer fails.
type sendFault uint8

const (
	refusedSend sendFault = 1 + iota
	failedSend
)

func newSimDevice(w *simulation.World) *simDevice {
	return &simDevice{
		world: w, promised: verbs.LastWord,
		regions: map[uint32]*simRegion{}, queues: map[uint32]*simQueue{}, handles: map[uint32]*simHandle{},
		unsendable: map[uint32]sendFault{}, meanwhile: func() {},
	}
}

func (d *simDevice) number() uint32 { d.next++; return d.next }

// fails sometimes returns an error in place of a call's result.
func (d *simDevice) fails(call string) error {
	if !d.world.OneIn(d.failOneIn) {
		return nil
	}
	errno := []syscall.Errno{syscall.ENOMEM, syscall.EINVAL, syscall.EAGAIN, syscall.ENETUNREACH}[d.world.IntN(4)]
	d.world.Note("%s: %v", call, errno)
	return fmt.Errorf("%s: %w", call, errno)
}

func (d *simDevice) Info() verbs.DeviceInfo {
	return verbs.DeviceInfo{Provider: "sim", Name: "sim", Placement: d.promised}
}

func (d *simDevice) Port() (verbs.Port, error) {
	return verbs.Port{
		Number: 1, Active: true, LinkLayer: verbs.LinkEthernet, MTU: 1024, GID: simGID, MaxInline: d.maxInline,
	}, nil
}

var simGID = verbs.GIDFromAddr(netip.MustParseAddr("10.0.0.1"))

func (d *simDevice) AllocPD() (verbs.PD, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fails("AllocPD"); err != nil {
		return nil, err
	}
	d.domains++
	return &simDomain{device: d}, nil
}

func (d *simDevice) Wait(time.Duration) error       { return nil }
func (d *simDevice) Events(time.Time) []verbs.Event { return nil }
func (d *simDevice) Counters() map[string]uint64    { return nil }
func (d *simDevice) Close() error                   { return nil }

func (d *simDevice) CreateCQ(int) (verbs.CQ, error) {
	q := &simCQ{device: d}
	d.completions = append(d.completions, q)
	return q, nil
}

// Progress executes the delayed work of a slow NIC.
func (d *simDevice) Progress() (bool, error) {
	d.meanwhile()
	if d.world.OneIn(2) {
		for _, q := range d.completions {
			q.catchUp()
		}
	}
	return false, nil
}

// stuck returns an error of a close, a limited number of times.
func (d *simDevice) stuck(call string, number uint32) error {
	if number >= d.stuckBefore || number%32 > 0 { // not drawn: several may close at once, in any order
		return nil
	}
	d.abandoned++
	d.world.Note("%s: stuck", call)
	return fmt.Errorf("%s: %w", call, syscall.EBUSY)
}

// slotBytes is the memory that clients have.
func (d *simDevice) slotBytes() (n int) {
	for _, r := range d.regions {
		if r.access&verbs.RemoteWrite != 0 {
			n += len(r.bytes)
		}
	}
	return n
}

// simMemory is memory for slots. As a mapping does, it begins with a line, and there is an address
// behind its end.
func simMemory(size int) []byte {
	words := make([]uint64, (size+7)/8+lineBytes/wordBytes)
	all := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), wordBytes*len(words))
	at := int(-uintptr(unsafe.Pointer(&words[0])) % lineBytes)
	return all[at : at+size : at+size]
}

// simDomain is a protection domain.
type simDomain struct {
	device *simDevice
	closed bool
}

func (p *simDomain) Close() error {
	p.device.mu.Lock()
	defer p.device.mu.Unlock()
	p.closed = true
	p.device.domains--
	return nil
}

func (p *simDomain) AllocMR(size int, access verbs.Access) (verbs.MR, error) {
	p.device.mu.Lock()
	defer p.device.mu.Unlock()
	if err := p.device.fails("AllocMR"); err != nil {
		return nil, err
	}
	r := &simRegion{domain: p, access: access, key: p.device.number(), bytes: simMemory(size)}
	p.device.regions[r.key] = r
	return r, nil
}

func (p *simDomain) CreateQP(cfg verbs.QPConfig) (verbs.QP, error) {
	p.device.mu.Lock()
	defer p.device.mu.Unlock()
	if err := p.device.fails("CreateQP"); err != nil {
		return nil, err
	}
	q := &simQueue{domain: p, cfg: cfg, number: p.device.number(), cq: cfg.SendCQ.(*simCQ)}
	p.device.queues[q.number] = q
	return q, nil
}

func (p *simDomain) CreateAH(peer verbs.Endpoint) (verbs.AH, error) {
	p.device.mu.Lock()
	defer p.device.mu.Unlock()
	if err := p.device.fails("CreateAH"); err != nil {
		return nil, err
	}
	if a := peer.GID.Addr(); a.IsMulticast() || a == netip.MustParseAddr("255.255.255.255") {
		p.device.world.Failf("the server makes an address handle for %s", a)
	}
	h := &simHandle{p.device, p.device.number(), peer}
	p.device.handles[h.number] = h
	return h, nil
}

type simHandle struct {
	device *simDevice
	number uint32
	peer   verbs.Endpoint
}

func (h *simHandle) Handle() uint32 { return h.number }

func (h *simHandle) Close() error {
	h.device.mu.Lock()
	defer h.device.mu.Unlock()
	delete(h.device.handles, h.number)
	return nil
}

type simRegion struct {
	domain *simDomain
	bytes  []byte
	key    uint32
	access verbs.Access
}

func (r *simRegion) Bytes() []byte { return r.bytes }
func (r *simRegion) Addr() uint64  { return uint64(uintptr(unsafe.Pointer(&r.bytes[0]))) }
func (r *simRegion) LKey() uint32  { return r.key }
func (r *simRegion) RKey() uint32  { return r.key }
func (r *simRegion) Region() verbs.Region {
	return verbs.Region{Addr: r.Addr(), Length: len(r.bytes), RKey: r.key}
}

func (r *simRegion) Close() error {
	d := r.domain.device
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		if q.domain == r.domain && r.access&verbs.RemoteWrite != 0 && q.cfg.Type == verbs.UC {
			d.world.Failf("slots are freed that queue pair %d may still write to", q.number)
		}
	}
	delete(d.regions, r.key)
	return nil
}

// simCQ is a completion queue.
type simCQ struct {
	device *simDevice
	wcs    []verbs.WC
	due    []func() // of a late device
}

func (q *simCQ) Close() error { return nil }

// catchUp does what is due.
func (q *simCQ) catchUp() {
	for _, do := range q.due {
		do()
	}
	q.due = q.due[:0]
}

func (q *simCQ) Poll(wcs []verbs.WC) (int, error) {
	q.catchUp()
	n := copy(wcs, q.wcs)
	q.wcs = q.wcs[n:]
	return n, nil
}

// simQueue is a queue pair.
type simQueue struct {
	domain *simDomain
	cfg    verbs.QPConfig
	number uint32
	cq     *simCQ
	peer   verbs.Endpoint
	recvs  []verbs.RecvWR // of a client
}

func (q *simQueue) Num() uint32        { return q.number }
func (q *simQueue) Type() verbs.QPType { return q.cfg.Type }

func (q *simQueue) Local() verbs.Endpoint {
	return verbs.Endpoint{
		Device: q.domain.device.Info(), Type: q.cfg.Type, LinkLayer: verbs.LinkEthernet,
		GID: simGID, MTU: 1024, QPN: q.number, QKey: q.cfg.QKey,
	}
}

func (q *simQueue) Connect(peer verbs.Endpoint) error {
	if q.cfg.Type == verbs.UD {
		return nil
	}
	q.domain.device.mu.Lock()
	defer q.domain.device.mu.Unlock()
	q.peer = peer
	return q.domain.device.fails("Connect")
}

func (q *simQueue) PostRecv(wrs []verbs.RecvWR) (int, error) {
	if q.cfg.MaxRecv == 0 {
		return 0, errors.New("nobody sends to a server")
	}
	q.recvs = append(q.recvs, wrs...)
	return len(wrs), nil
}

// receive gives a link an answer. An answer without a buffer is lost.
func (q *simQueue) receive(from uint32, word answer, value []byte) {
	if len(q.recvs) == 0 {
		return
	}
	into := q.recvs[0]
	q.recvs = q.recvs[1:]
	r := q.domain.device.regions[into.Local.LKey]
	copy(r.bytes[into.Local.Addr-r.Addr()+verbs.GRHBytes:], value)
	q.cq.wcs = append(q.cq.wcs, verbs.WC{
		ID: into.ID, Bytes: uint32(verbs.GRHBytes + len(value)), Imm: uint32(word), HasImm: true,
		QPN: q.number, SrcQPN: from, Op: verbs.WCRecv,
	})
}

func (q *simQueue) Close() error {
	q.domain.device.mu.Lock()
	defer q.domain.device.mu.Unlock()
	if q.cfg.Type == verbs.UC {
		if err := q.domain.device.stuck("close a queue pair", q.number); err != nil {
			return err
		}
	}
	delete(q.domain.device.queues, q.number)
	return nil
}

// PostSend posts answers, or requests of a link.
func (q *simQueue) PostSend(wrs []verbs.SendWR) (int, error) {
	d := q.domain.device
	for i := range wrs {
		wr := wrs[i]
		if q.cfg.Type == verbs.UC {
			d.write(q.peer.QPN, wr.RKey, wr.Remote, q.value(&wr))
			if wr.Flags&verbs.Signaled != 0 {
				q.cq.wcs = append(q.cq.wcs, verbs.WC{ID: wr.ID, QPN: q.number, Op: verbs.WCWrite})
			}
			continue
		}
		if d.world.OneIn(d.fullOneIn) {
			return i, verbs.ErrQueueFull
		}
		h := d.handles[wr.AH]
		if h == nil {
			d.world.Failf("an answer goes to address handle %d, which is not there", wr.AH)
		}
		fault := d.unsendable[wr.QPN]
		if fault == refusedSend {
			return i, syscall.EINVAL
		}
		status := verbs.StatusSuccess
		if fault == failedSend {
			status = verbs.StatusLocalQPOp
		}
		do := func() { q.complete(&wr, status) }
		if d.late && wr.Flags&verbs.Inline == 0 {
			q.cq.due = append(q.cq.due, do)
		} else if d.late { // in order
			value := append([]byte(nil), q.value(&wr)...)
			q.cq.due = append(q.cq.due, func() { q.finish(&wr, status, value) })
		} else {
			do()
		}
	}
	return len(wrs), nil
}

func (q *simQueue) value(wr *verbs.SendWR) []byte {
	r := q.domain.device.regions[wr.Local.LKey]
	if wr.Local.Length == 0 {
		return nil
	}
	at := wr.Local.Addr - r.Addr()
	return r.bytes[at : at+uint64(wr.Local.Length)]
}

func (q *simQueue) complete(wr *verbs.SendWR, status verbs.WCStatus) {
	q.finish(wr, status, q.value(wr))
}

func (q *simQueue) finish(wr *verbs.SendWR, status verbs.WCStatus, value []byte) {
	d := q.domain.device
	if status != verbs.StatusSuccess || wr.Flags&verbs.Signaled != 0 {
		q.cq.wcs = append(q.cq.wcs, verbs.WC{ID: wr.ID, Status: status, QPN: q.number})
	}
	if status == verbs.StatusSuccess && !d.world.OneIn(d.loseOneIn) {
		if status := answer(wr.Imm).status(); status == kvs.Illegal {
			d.world.Failf("what is no request was done, with the outcome %s", status)
		}
		if to := d.queues[wr.QPN]; to != nil && to.cfg.MaxRecv > 0 {
			to.receive(q.number, answer(wr.Imm), value)
			return
		}
		d.deliver(wr.QPN, answer(wr.Imm), append([]byte(nil), value...))
	}
}

// write is an RDMA WRITE that arrives at a queue pair of the server. It makes a NIC's checks, and
// then stores the bytes, the last word after all others.
func (d *simDevice) write(qpn, rkey uint32, addr uint64, data []byte) bool {
	q, r := d.queues[qpn], d.regions[rkey]
	if q == nil || r == nil || q.domain != r.domain || r.access&verbs.RemoteWrite == 0 || q.cfg.Type != verbs.UC {
		return false
	}
	at := addr - r.Addr()
	if at > uint64(len(r.bytes)) || uint64(len(data)) > uint64(len(r.bytes))-at {
		return false
	}
	copy(r.bytes[at:], data)
	return true
}
