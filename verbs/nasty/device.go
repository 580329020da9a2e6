package nasty

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"dpukv/verbs"
)

// pumpEvery is the longest pause of a queue pair.
const pumpEvery = 200 * time.Microsecond

// Device wraps a device.
type Device struct {
	verbs.Device
	config Config

	mu      sync.Mutex
	created uint64 // queue pairs
	queues  []*queue
	regions map[uint32]verbs.MR // by local key
	failure error               // of a turn

	over, ended chan struct{}
	closing     sync.Once
	closed      error
}

// Wrap wraps a device, which it closes.
func Wrap(d verbs.Device, c Config) *Device {
	c.setDefaults()
	n := &Device{
		Device: d, config: c, regions: map[uint32]verbs.MR{},
		over: make(chan struct{}), ended: make(chan struct{}),
	}
	go n.pump()
	return n
}

// pump moves pieces on while nobody calls.
func (d *Device) pump() {
	defer close(d.ended)
	if d.config.Manual {
		return
	}
	tick := time.NewTicker(pumpEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.over:
			return
		case <-tick.C:
			d.move(true)
		}
	}
}

// move gives each queue pair a turn. resume ends its pause.
func (d *Device) move(resume bool) (moved bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		if resume {
			q.paused = 0
		}
		moved = moved || q.flight.Oldest() != nil
		d.failure = errors.Join(d.failure, q.turn())
	}
	return moved
}

// Info names the model, and promises no more than it.
func (d *Device) Info() verbs.DeviceInfo {
	i := d.Device.Info()
	i.Provider += " " + Key + string(d.config.Model)
	i.Name += " " + d.config.String()
	i.Emulated = true
	i.Placement = d.config.Model.placement(i.Placement)
	return i
}

// Port takes as much inline as the configuration says.
func (d *Device) Port() (verbs.Port, error) {
	p, err := d.Device.Port()
	if d.config.Inline != 0 {
		p.MaxInline = max(min(d.config.Inline, p.MaxInline), 0)
	}
	return p, err
}

// Progress gives each queue pair a turn.
func (d *Device) Progress() (bool, error) {
	moved, err := d.Device.Progress()
	if d.config.Manual || err != nil {
		return moved, err
	}
	more := d.move(false)
	d.mu.Lock()
	defer d.mu.Unlock()
	return moved || more, d.failure
}

// Waiting returns how many pieces of the oldest message of any queue pair may be next, or 0.
func (d *Device) Waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if q := d.oldest(); q != nil {
		return q.flight.Oldest().choices()
	}
	return 0
}

// Step gives one piece of that message effect: number pick of those that [Device.Waiting] counts.
func (d *Device) Step(pick int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.oldest()
	if q == nil {
		return errors.New("nasty: found no message on its way, allowed: a step for a piece")
	}
	return q.place(q.flight.Oldest(), pick)
}

// Turn gives one drawn piece of each queue pair effect. It reports whether there was any.
func (d *Device) Turn() (moved bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		if q.flight.Oldest() != nil {
			moved = true
			err = errors.Join(err, q.place(q.flight.Draw()))
		}
	}
	return moved, err
}

func (d *Device) oldest() *queue {
	i := slices.IndexFunc(d.queues, func(q *queue) bool { return q.flight.Oldest() != nil })
	if i < 0 {
		return nil
	}
	return d.queues[i]
}

func (d *Device) AllocPD() (verbs.PD, error) {
	p, err := d.Device.AllocPD()
	if err != nil {
		return nil, err
	}
	return &domain{p, d}, nil
}

// Close ends the pump and closes the device beneath. What is on its way has no effect.
func (d *Device) Close() error {
	d.closing.Do(func() {
		close(d.over)
		<-d.ended
		d.closed = d.Device.Close()
	})
	return d.closed
}

// domain is a protection domain.
type domain struct {
	verbs.PD
	device *Device
}

// region is a memory region whose bytes the device finds.
type region struct {
	verbs.MR
	device *Device
}

func (p *domain) AllocMR(size int, access verbs.Access) (verbs.MR, error) {
	m, err := p.PD.AllocMR(size, access)
	if err != nil {
		return nil, err
	}
	p.device.mu.Lock()
	defer p.device.mu.Unlock()
	p.device.regions[m.LKey()] = m
	return region{m, p.device}, nil
}

func (r region) Close() error {
	r.device.mu.Lock()
	delete(r.device.regions, r.LKey())
	r.device.mu.Unlock()
	return r.MR.Close()
}

// CreateQP wraps a queue pair that can WRITE.
func (p *domain) CreateQP(c verbs.QPConfig) (verbs.QP, error) {
	depth := c.MaxSend
	if c.Type != verbs.UD {
		c.MaxSend *= 2 // a completion is a work request of its own
	}
	beneath, err := p.PD.CreateQP(c)
	d := p.device
	if err != nil {
		return nil, err
	}
	if c.Type == verbs.UD {
		return named{beneath, d}, nil
	}
	q := &queue{named: named{beneath, d}, depth: depth, room: c.MaxInline}
	if d.config.Early {
		q.room = max(q.room, earlyBytes)
	}
	if q.room > 0 && depth > 0 {
		if q.staging, err = p.PD.AllocMR((depth+1)*q.room, 0); err != nil {
			return nil, errors.Join(err, beneath.Close())
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.created++
	q.flight = NewFlight(d.config, rand.New(rand.NewPCG(d.config.Seed, d.created)))
	d.queues = append(d.queues, q)
	return q, nil
}
