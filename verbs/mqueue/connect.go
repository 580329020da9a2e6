package mqueue

import (
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// layoutVersion changes with the bytes of a lane.
const layoutVersion = 1

// offer is the owner's description of a lane, or the reason why it offers none.
type offer struct {
	Version  int            `json:"version"`
	Shape    Shape          `json:"shape"`
	Answers  Answers        `json:"answers"`
	Endpoint verbs.Endpoint `json:"endpoint"`
	Region   verbs.Region   `json:"region"`
	Software bool           `json:"software,omitempty"` // the device is emulated
	Refused  string         `json:"refused,omitempty"`
}

func (o *offer) check() error {
	if o.Version != layoutVersion {
		return fmt.Errorf("layout of a lane: found version %d, allowed: %d; run the same version "+
			"of dpukv at both ends", o.Version, layoutVersion)
	}
	if err := refusal(o.Refused); err != nil {
		return err
	}
	if err := o.Shape.Check(); err != nil {
		return err
	}
	if err := o.Answers.Check(); err != nil {
		return err
	}
	l := o.Shape.layout()
	return l.checkRegion(&o.Region)
}

// acceptance is the mover's answer: its own end, or the reason why it has none.
type acceptance struct {
	Endpoint verbs.Endpoint `json:"endpoint"`
	Region   verbs.Region   `json:"region"`
	Software bool           `json:"software,omitempty"` // the device is emulated
	Refused  string         `json:"refused,omitempty"`
}

// ready is the owner's last word before the check of the order.
type ready struct {
	Refused string `json:"refused,omitempty"`
}

// Offer makes the owner's end, and returns it connected. The mover calls Accept at the other end of
// the side channel. The channel belongs to the End from here on: an error closes it.
func Offer(ch *sidechannel.Channel, cfg Config) (*End, error) {
	e := &End{owner: true, channel: ch, device: cfg.Device}
	if err := cfg.check(); err != nil {
		return nil, errors.Join(e.refuse(err), ch.Close())
	}
	e.shape, e.answers = cfg.Shape, cfg.Answers
	return e.connect(cfg.Timeout, e.offer)
}

// Accept makes the mover's end, and returns it connected. The owner's shape applies, if fits has no
// error for it. The owner learns that error, before there is memory for the lane. The channel
// belongs to the End from here on: an error closes it.
func Accept(
	ch *sidechannel.Channel, dev verbs.Device, fits func(Shape) error,
) (*End, error) {
	e := &End{channel: ch, device: dev}
	return e.connect(DefaultTimeout, func() error { return e.accept(fits) })
}

// Anything fits a process that believes its peer.
func Anything(Shape) error { return nil }

// connect runs the steps of one end, checks the order of bytes, and begins to watch the peer.
func (e *End) connect(timeout time.Duration, steps func() error) (*End, error) {
	e.begun = time.Now()
	e.channel.SetTimeout(timeout)
	err := steps()
	if err == nil {
		err = e.checkOrder(timeout)
	}
	if err != nil {
		err = verbs.Explain(fmt.Errorf("connect a lane over %s: %w", e.device.Info().Name, err),
			e.device, e.begun)
		return nil, errors.Join(err, e.Close())
	}
	e.watch()
	return e, nil
}

// offer is the owner's part.
func (e *End) offer() error {
	if err := e.create(); err != nil {
		return e.refuse(err)
	}
	err := e.channel.Send(offer{
		Version: layoutVersion, Shape: e.shape, Answers: e.answers,
		Endpoint: e.qp.Local(), Region: e.mr.Region(), Software: e.device.Info().Emulated,
	})
	if err != nil {
		return err
	}
	var answer acceptance
	if err := e.await(&answer); err != nil {
		return err
	}
	if err := refusal(answer.Refused); err != nil {
		return err
	}
	e.software = e.device.Info().Emulated && answer.Software
	err = e.join(answer.Endpoint, answer.Region, e.answers == Written)
	return errors.Join(err, e.channel.Send(ready{reason(err)}))
}

// refuse tells the mover why there is no offer.
func (e *End) refuse(why error) error {
	return errors.Join(why, e.channel.Send(offer{Version: layoutVersion, Refused: why.Error()}))
}

// accept is the mover's part.
func (e *End) accept(fits func(Shape) error) error {
	var o offer
	if err := e.await(&o); err != nil {
		return err
	}
	err := e.adopt(&o, fits)
	if err != nil {
		return errors.Join(err, e.channel.Send(acceptance{Refused: err.Error()}))
	}
	mine := acceptance{
		Endpoint: e.qp.Local(), Region: e.mr.Region(), Software: e.device.Info().Emulated,
	}
	e.software = mine.Software && o.Software
	if err = e.channel.Send(mine); err != nil {
		return err
	}
	var r ready
	if err = e.await(&r); err != nil {
		return err
	}
	return refusal(r.Refused)
}

// adopt makes this end as the offer says.
func (e *End) adopt(o *offer, fits func(Shape) error) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := fits(o.Shape); err != nil {
		return err
	}
	e.shape, e.answers = o.Shape, o.Answers
	if err := e.create(); err != nil {
		return err
	}
	return e.join(o.Endpoint, o.Region, true)
}

// refusal is the error of a peer that tells its reason.
func refusal(reason string) error {
	if reason == "" {
		return nil
	}
	return fmt.Errorf("the peer refuses: %s", verbs.Printable(reason))
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// create makes the memory and the queue pair.
func (e *End) create() (err error) {
	e.layout = e.shape.layout()
	if e.pd, err = e.device.AllocPD(); err != nil {
		return err
	}
	access := verbs.LocalWrite
	if e.owner || e.answers == Written {
		access |= verbs.RemoteWrite | verbs.RemoteRead
	}
	if e.mr, err = e.pd.AllocMR(e.layout.size, access); err != nil {
		return err
	}
	e.memory = e.mr.Bytes()
	// A list has payloads, control words, or READs, each of at most all slots.
	requests := 3*e.shape.Slots + 4
	if e.cq, err = e.device.CreateCQ(requests); err != nil {
		return err
	}
	e.qp, err = e.pd.CreateQP(verbs.QPConfig{
		Type: verbs.RC, SendCQ: e.cq, RecvCQ: e.cq, MaxSend: requests, MaxRecv: 1,
	})
	e.writer = writer{
		every: max(uint64(e.shape.Slots)/4, 1), words: make([]control, e.shape.Slots),
		list:      make([]verbs.SendWR, 0, requests),
		localAddr: e.mr.Addr(), localKey: e.mr.LKey(),
	}
	e.fetcher = fetcher{words: make([]control, e.shape.Slots)}
	return err
}

// join connects the queue pair. reaches: this end writes to or reads from the peer's region.
func (e *End) join(peer verbs.Endpoint, region verbs.Region, reaches bool) error {
	if reaches {
		if err := e.layout.checkRegion(&region); err != nil {
			return err
		}
	}
	local := e.qp.Local()
	if err := verbs.Check(local, peer); err != nil {
		return err
	}
	if err := verbs.Need(verbs.Unknown, "a lane", local.Device, peer.Device); err != nil {
		return err
	}
	e.placement = local.Device.Placement.With(peer.Device.Placement)
	e.peer = region
	return e.qp.Connect(peer)
}

// await waits for the peer's next value.
func (e *End) await(v any) error { return e.channel.Await(v, e.rest) }

// rest moves packets, or waits for some.
func (e *End) rest() (busy bool, err error) {
	return verbs.Rest(e.device, 50*time.Microsecond)
}

// destroy frees what create made.
func (e *End) destroy() error {
	err := verbs.Close(e.qp, e.cq, e.mr, e.pd)
	e.qp, e.cq, e.mr, e.pd, e.memory = nil, nil, nil, nil, nil
	return err
}
