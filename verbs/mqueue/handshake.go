package mqueue

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// version is that of the handshake and of the bytes in the slots.
const version = 1

// offer is the owner's side of the handshake.
type offer struct {
	Version int `json:"version"`
	Shape
	Answers   Answers        `json:"answers"`
	Asks      bool           `json:"asks"`
	Endpoint  verbs.Endpoint `json:"endpoint"`
	Slots     verbs.Region   `json:"slots_region"`
	Published verbs.Region   `json:"published_region,omitzero"`
}

// acceptance is the mover's side.
type acceptance struct {
	Error    string         `json:"error,omitempty"`
	Endpoint verbs.Endpoint `json:"endpoint"`
	Slots    verbs.Region   `json:"slots_region,omitzero"`
}

// verdict is what the check of the order has found.
type verdict struct {
	Torn int `json:"torn"` // messages that were incomplete behind their control word
}

func newEnd(ch *sidechannel.Channel, dev verbs.Device, s Shape) (*End, error) {
	q, err := newQueue(dev, &s)
	if err != nil {
		return nil, err
	}
	return &End{shape: s, device: dev, queue: q, channel: ch}, nil
}

// Offer makes the owner's end of a lane. The mover calls [Accept] at the other end of the channel.
// The end owns the channel from then on, and closes it if Offer fails.
func Offer(ch *sidechannel.Channel, cfg Config) (*End, error) {
	e, err := offerLane(ch, &cfg)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lane: %w", err), ch.Close())
	}
	return e, nil
}

func offerLane(ch *sidechannel.Channel, cfg *Config) (e *End, err error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	ch.SetTimeout(stepTimeout)
	if e, err = newEnd(ch, cfg.Device, cfg.Shape); err != nil {
		return nil, err
	}
	defer func() { err = e.closeOn(err) }()
	e.owner = true
	mine := offer{
		Version: version, Shape: cfg.Shape, Answers: cfg.Answers, Asks: cfg.Asks,
		Endpoint: e.qp.Local(),
	}
	in, err := newSlots(&e.queue, e.shape)
	if err != nil {
		return nil, err
	}
	e.in, mine.Slots = in, in.mr.Region()
	var w *writer
	if cfg.Answers == Written {
		if w, err = newWriter(&e.queue, e.shape); err != nil {
			return nil, err
		}
		e.out = w
	} else {
		p, err := newPublished(&e.queue, e.shape)
		if err != nil {
			return nil, err
		}
		e.out, mine.Published = p, p.mr.Region()
	}
	theirs := acceptance{}
	if err := ch.Send(mine); err != nil {
		return nil, err
	}
	if err := ch.Await(&theirs, e.progress); err != nil {
		return nil, err
	}
	if theirs.Error != "" {
		return nil, fmt.Errorf("the peer says: %s", verbs.Printable(theirs.Error))
	}
	if w != nil {
		if w.to = theirs.Slots; w.to.Length < e.shape.bytes() {
			return nil, fmt.Errorf("found %d bytes for messages at the peer, allowed: at "+
				"least %d", w.to.Length, e.shape.bytes())
		}
	}
	return e, e.join(theirs.Endpoint, cfg.Answers, cfg.Asks)
}

// Accept makes the mover's end of a lane, of the owner's shape. The end owns the channel from then
// on, and closes it if Accept fails.
func Accept(ch *sidechannel.Channel, dev verbs.Device) (*End, error) {
	e, err := acceptLane(ch, dev)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lane: %w", err), ch.Close())
	}
	return e, nil
}

func acceptLane(ch *sidechannel.Channel, dev verbs.Device) (e *End, err error) {
	ch.SetTimeout(stepTimeout)
	var theirs offer
	if err := ch.Receive(&theirs); err != nil {
		return nil, err
	}
	e, mine, err := acceptOffer(ch, dev, &theirs)
	if err != nil {
		return nil, errors.Join(err, ch.Send(acceptance{Error: err.Error()}))
	}
	defer func() { err = e.closeOn(err) }()
	if err := verbs.Check(e.qp.Local(), theirs.Endpoint); err != nil {
		return nil, errors.Join(err, ch.Send(acceptance{Error: err.Error()}))
	}
	if err := ch.Send(mine); err != nil {
		return nil, err
	}
	return e, e.join(theirs.Endpoint, theirs.Answers, !theirs.Asks)
}

// check refuses an offer that a lane cannot have, before anything is allocated.
func (o *offer) check() error {
	if o.Version != version {
		return fmt.Errorf("found version %d, allowed: %d; use the same dpukv at both ends",
			o.Version, version)
	}
	if err := o.Shape.check(); err != nil {
		return err
	}
	if _, err := ParseAnswers(string(o.Answers)); err != nil || o.Answers == "" {
		return fmt.Errorf("found the answers %q, allowed: %s, %s", o.Answers, Read, Written)
	}
	if need := o.Shape.bytes(); o.Slots.Length < need ||
		o.Answers == Read && o.Published.Length < publishedBytes(&o.Shape) {
		return fmt.Errorf("found memory of %d and %d bytes at the peer, allowed: at least %d "+
			"and %d", o.Slots.Length, o.Published.Length, need, publishedBytes(&o.Shape))
	}
	return nil
}

func acceptOffer(
	ch *sidechannel.Channel, dev verbs.Device, o *offer,
) (e *End, mine acceptance, err error) {
	if err := o.check(); err != nil {
		return nil, mine, err
	}
	if e, err = newEnd(ch, dev, o.Shape); err != nil {
		return nil, mine, err
	}
	defer func() { err = e.closeOn(err) }()
	mine.Endpoint = e.qp.Local()
	w, err := newWriter(&e.queue, e.shape)
	if err != nil {
		return nil, mine, err
	}
	w.to = o.Slots
	e.out = w
	if o.Answers == Written {
		in, err := newSlots(&e.queue, e.shape)
		if err != nil {
			return nil, mine, err
		}
		e.in, mine.Slots = in, in.mr.Region()
		return e, mine, nil
	}
	e.in, err = newFetcher(&e.queue, e.shape, o.Published)
	return e, mine, err
}

// closeOn frees what a failed handshake leaves behind. It does not close the channel.
func (e *End) closeOn(err error) error {
	if err == nil || e == nil {
		return err
	}
	errs := []error{err, e.queue.close()}
	if e.in != nil {
		errs = append(errs, e.in.close())
	}
	if e.out != nil {
		errs = append(errs, e.out.close())
	}
	return errors.Join(append(errs, e.closePD())...)
}

// progress lets a software device work while the end waits for its peer.
func (e *End) progress() error {
	moved, err := e.device.Progress()
	if err == nil && !moved {
		err = e.device.Wait(50 * time.Microsecond)
	}
	return err
}

// join connects the queue pair, checks the order of WRITEs, and takes its role.
func (e *End) join(peer verbs.Endpoint, answers Answers, asks bool) error {
	if err := verbs.Check(e.qp.Local(), peer); err != nil {
		return err
	}
	if err := e.qp.Connect(peer); err != nil {
		return err
	}
	if _, err := sidechannel.SwapWith(e.channel, struct{}{}, e.progress); err != nil {
		return err
	}
	e.facts = Facts{
		Shape: e.shape, Answers: answers, Provider: providers(e.device.Info(), peer.Device),
		Emulated: e.device.Info().Emulated || peer.Device.Emulated,
	}
	if err := e.checkOrder(); err != nil {
		return err
	}
	e.asks, e.counts = asks, Counts{}
	e.queue.reads, e.queue.writes = 0, 0
	e.watched = make(chan struct{})
	go e.watch()
	return nil
}
