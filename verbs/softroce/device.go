package softroce

import "dpukv/verbs/softroce/udp"

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/verbs"
)

const maxInline = 1024

// device is a software RoCE device.
type device struct {
	opts   Options
	hooks  hooks
	local  netip.AddrPort
	socket *udp.Socket
	gso    bool // the kernel cuts trains
	// unknownRoCE reports that the NIC may take the packets to this device for itself.
	unknownRoCE bool
	// gsoRefused reports that, on some route, the kernel does not cut trains after all.
	gsoRefused   atomic.Bool
	refusalTimes refusalTimes
	stuck        atomic.Bool // the send queue stayed full for longer than fullQueueTimeout
	counters     counters
	events       verbs.EventLog
	closed       atomic.Bool

	// open is held for reading while a goroutine waits on the socket, so that Close does not close
	// the socket under it.
	open sync.RWMutex

	// objects guards the tables and their objects. It is held for reading while packets are built
	// or received, so that no memory disappears under them.
	objects sync.RWMutex
	qps     table[qp]
	regions regionTable
	handles []*handle

	receiver receiver

	batches struct {
		sync.Mutex
		free []*batch
	}
	timers timers
	ports  ports
}

// Open opens a software RoCE v2 device on a local address.
func Open(opts Options) (verbs.Device, error) {
	d, err := open(opts)
	if err != nil {
		return nil, err // not d: a nil pointer would be a non-nil Device
	}
	return d, nil
}

func open(opts Options) (*device, error) {
	if err := opts.complete(); err != nil {
		return nil, err
	}
	check := checkNIC
	if opts.hooks.checkNIC != nil {
		check = opts.hooks.checkNIC
	}
	unknown := check(sysfs, opts.Addr)
	if unknown != nil && !errors.Is(unknown, errUnknownRoCE) {
		return nil, unknown
	}
	local := netip.AddrPortFrom(opts.Addr, verbs.RoCEPort)
	s, err := udp.OpenSocket(local, opts.SocketBuffers)
	if err != nil {
		return nil, err
	}
	d := &device{
		opts: opts, hooks: opts.hooks, local: local, socket: s,
		qps: newQPTable(), regions: newRegionTable(), unknownRoCE: unknown != nil,
	}
	if opts.hooks.noGRO {
		s.DontCoalesce()
	}
	d.gso = s.GSO && !opts.hooks.noGSO
	d.timers.next.Store(never)
	d.receiver.init(d)
	return d, nil
}

// Info describes the device, and the features that the kernel lacks.
func (d *device) Info() verbs.DeviceInfo {
	name := "softroce " + d.opts.Addr.String()
	switch {
	case !d.gso:
		name += " without UDP segmentation"
	case d.gsoRefused.Load():
		name += " without UDP segmentation to some peers"
	}
	if !d.socket.GRO {
		name += " without UDP receive coalescing"
	}
	if d.unknownRoCE {
		name += ", " + errUnknownRoCE.Error()
	}
	return verbs.DeviceInfo{
		Provider: "softroce", Name: name, Emulated: true, Placement: verbs.LastWord,
	}
}

// Port describes the device's only port.
func (d *device) Port() (verbs.Port, error) {
	if d.closed.Load() {
		return verbs.Port{}, verbs.ErrClosed
	}
	return verbs.Port{
		Number: 1, Active: true, LinkLayer: verbs.LinkEthernet, MTU: d.opts.MTU,
		GID: verbs.GIDFromAddr(d.opts.Addr), MaxInline: maxInline,
	}, nil
}

// Wait blocks until a packet arrives, a timer expires, or limit is over.
func (d *device) Wait(limit time.Duration) error {
	d.open.RLock()
	defer d.open.RUnlock()
	if d.closed.Load() {
		return verbs.ErrClosed
	}
	return d.socket.Wait(max(0, min(limit, d.timers.untilNext())))
}

// Events returns overruns of completion queues, errors of RC queue pairs, packets that the kernel
// refused, and routes without segmentation. A socket does not report a port that goes down.
func (d *device) Events(since time.Time) []verbs.Event { return d.events.Since(since) }

// Counters returns the counters since the device was opened.
func (d *device) Counters() map[string]uint64 {
	m := d.counters.named()
	d.open.RLock()
	defer d.open.RUnlock()
	if !d.closed.Load() {
		if n := d.socket.Overflows(); n > 0 {
			m["rx_overflows"] = n // of the socket's buffer, in datagrams
		}
	}
	return m
}

var errNoSegmentation = errors.New("the kernel cannot segment on one path out of this machine: " +
	"packets there leave one by one from now on")

// refuseGSO records that segmentation does not work on one route. Others keep it, because a peer
// chooses its own address, and so its route.
func (d *device) refuseGSO(way *path) {
	d.counters.add(gsoRefused, 1)
	way.gso.Store(false)
	if !d.gsoRefused.Swap(true) {
		d.events.Add(verbs.Event{Kind: "UDP segmentation refused", Err: errNoSegmentation})
	}
}

// batch lends an empty batch.
func (d *device) batch() *batch {
	d.batches.Lock()
	defer d.batches.Unlock()
	if n := len(d.batches.free); n > 0 {
		b := d.batches.free[n-1]
		d.batches.free = d.batches.free[:n-1]
		return b
	}
	return newBatch(d)
}

// giveBack takes a flushed batch back.
func (d *device) giveBack(b *batch) {
	d.batches.Lock()
	d.batches.free = append(d.batches.free, b)
	d.batches.Unlock()
}

// Close frees the device and its memory. Closing twice is harmless.
func (d *device) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	err := d.socket.WakeAll()
	d.open.Lock()
	defer d.open.Unlock()
	d.objects.Lock()
	defer d.objects.Unlock()
	for _, e := range d.regions.entries {
		if e.object != nil {
			err = errors.Join(err, e.object.memory.Free())
		}
	}
	for _, e := range d.qps.entries {
		if e.object != nil {
			e.object.state.Store(int32(stateClosed))
		}
	}
	d.regions, d.qps, d.handles = newRegionTable(), newQPTable(), nil
	return errors.Join(err, d.closePorts(), d.socket.Close())
}

// change runs f while nobody uses the tables.
func (d *device) change(f func() error) error {
	d.objects.Lock()
	defer d.objects.Unlock()
	if d.closed.Load() {
		return verbs.ErrClosed
	}
	return f()
}

// release does the same. Once the device is closed there is nothing left to release.
func (d *device) release(f func() error) error {
	if err := d.change(f); !errors.Is(err, verbs.ErrClosed) {
		return err
	}
	return nil
}
