package perf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// Run measures, as the client of a [Serve]. An error names the device's events since the start.
func Run(
	ctx context.Context, dev verbs.Device, conn net.Conn, cfg Config, watch Observer,
) (*Report, error) {
	since := time.Now()
	report, err := run(ctx, dev, conn, cfg, watch)
	return report, verbs.Explain(err, dev, since)
}

func run(
	ctx context.Context, dev verbs.Device, conn net.Conn, cfg Config, watch Observer,
) (*Report, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	// An end polls without a pause: two ends on one scheduler thread would only take turns.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ch := sidechannel.New(conn)
	if err := ch.Send(cfg); err != nil {
		return nil, err
	}
	e, err := begin(ctx, dev, ch, cfg, watch)
	if err != nil {
		return nil, err
	}
	report := &Report{Header: e.header()}
	for _, bytes := range e.cfg.Sizes {
		point, err := e.measure(bytes)
		if err != nil {
			return report, errors.Join(fmt.Errorf("%d bytes: %w", bytes, err), e.close())
		}
		report.Points = append(report.Points, *point)
		if watch.Measured != nil {
			watch.Measured(point)
		}
	}
	return report, e.close()
}

// Serve is the other end, for the client that [Accept] found. An error names the device's events
// since the start.
func Serve(ctx context.Context, dev verbs.Device, client *Caller, watch Observer) error {
	since := time.Now()
	return verbs.Explain(serve(ctx, dev, client, watch), dev, since)
}

func serve(ctx context.Context, dev verbs.Device, client *Caller, watch Observer) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer context.AfterFunc(ctx, func() { _ = client.Close() })() // ends all waits for it
	e, err := begin(ctx, dev, client.ch, client.cfg, watch)
	if err != nil {
		return err
	}
	for _, bytes := range e.cfg.Sizes {
		if err := e.serve(bytes); err != nil {
			return errors.Join(fmt.Errorf("%d bytes: %w", bytes, err), e.close())
		}
	}
	return e.close()
}

// ready reports an end's properties, or why it could not be made.
type ready struct {
	Error string
	Sizes []int
}

func failure(err error) ready {
	if err == nil {
		return ready{}
	}
	return ready{Error: err.Error()}
}

// begin makes an end and connects it. It reports a failure at one end to the other.
func begin(
	ctx context.Context, dev verbs.Device, ch *sidechannel.Channel, cfg Config, watch Observer,
) (*end, error) {
	ch.SetLimit(cfg.valueLimit())
	ch.SetTimeout(stepTimeout)
	e, err := newEnd(ctx, dev, ch, cfg)
	mine := failure(err)
	if err == nil {
		mine.Sizes = e.cfg.Sizes
	}
	theirs, swapErr := sidechannel.Swap(ch, mine)
	if theirs.Error != "" {
		swapErr = fmt.Errorf("the peer: %s", verbs.Printable(theirs.Error))
	}
	if err != nil || swapErr != nil {
		if e != nil {
			err = errors.Join(err, e.close())
		}
		return nil, errors.Join(err, swapErr)
	}
	// Datagrams go up to the smaller MTU. Check reports the difference.
	e.cfg.Sizes = e.cfg.Sizes[:min(len(e.cfg.Sizes), len(theirs.Sizes))]
	e.watch = watch
	if err := e.connect(); err != nil {
		return nil, errors.Join(err, e.close())
	}
	if watch.Connected != nil {
		h := e.header()
		watch.Connected(&h)
	}
	return e, nil
}

func (e *end) header() Header {
	return Header{
		Kind: e.cfg.Kind, Op: e.cfg.Op, Connection: e.cfg.Connection.String(), QPs: e.cfg.QPs,
		TxDepth: e.cfg.TxDepth, RxDepth: e.cfg.RxDepth, PostList: e.cfg.PostList,
		CQMod: e.cfg.CQMod, Inline: e.cfg.Inline,
		Local: e.pairs[0].qp.Local(), Peer: e.pairs[0].peer.Endpoint,
	}
}

// served is the server's report on a point.
type served struct {
	Arrived  int      // received messages
	Warnings []string `json:"Doubts"` // of its device
}

// measure is the client's side of a point.
func (e *end) measure(bytes int) (*Point, error) {
	point, err := e.measureKind(bytes)
	if err != nil {
		return nil, err
	}
	// The client has finished. The server replies with its report.
	if err := e.ch.Send(struct{}{}); err != nil {
		return nil, err
	}
	var there served
	if err := e.ch.Await(&there, e.rest); err != nil {
		return nil, err
	}
	for _, warning := range e.warnings() {
		point.Warnings = append(point.Warnings, "the client's device "+warning)
	}
	for _, warning := range there.Warnings {
		point.Warnings = append(point.Warnings, "the server's device "+verbs.Printable(warning))
	}
	if e.cfg.Kind == Bandwidth && e.cfg.Op == Send {
		point.Arrived = &there.Arrived
		if there.Arrived < point.Iters {
			point.Warnings = append(point.Warnings,
				fmt.Sprintf("%d of %d messages arrived: %s loses what a receiver is too slow for",
					there.Arrived, point.Iters, e.cfg.Connection))
		}
	}
	return point, nil
}

func (e *end) measureKind(bytes int) (*Point, error) {
	if e.cfg.Kind == Bandwidth {
		marks, err := e.stream(bytes)
		if err != nil {
			return nil, err
		}
		return &Point{
			Bytes: bytes, Iters: marks.messages(), Bandwidth: rates(marks.all(), bytes),
		}, nil
	}
	measure := e.pingPong
	if e.cfg.Op == Read {
		measure = e.readLatency
	}
	list, err := measure(bytes)
	if err != nil {
		return nil, err
	}
	return &Point{
		Bytes: bytes, Iters: list.count, Latency: list.micros(), Histogram: list.histogram,
	}, nil
}

// serve is the server's side of a point.
func (e *end) serve(bytes int) (err error) {
	arrived := 0
	if e.cfg.Kind == Latency && e.cfg.Op != Read {
		err = e.answer(bytes)
	} else {
		arrived, err = e.drain(bytes)
	}
	if err != nil {
		return err
	}
	return e.ch.Send(served{arrived, e.warnings()})
}
