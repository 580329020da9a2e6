package proxy

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"dpukv/kvs"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
	"dpukv/verbs/sidechannel"
)

// Client is an application's view of a proxy. Any goroutine may call its methods.
type Client struct {
	addr    string
	number  uint64 // in its hellos
	answers mqueue.Answers
	report  Report // at the time of Dial
	device  verbs.Device
	life    context.Context // until Close
	end     context.CancelFunc
	ended   sync.WaitGroup

	mu    sync.Mutex
	pairs int           // open links
	lanes kvs.LaneFacts // of all links so far
}

func newClient(addr string) *Client {
	c := &Client{addr: addr, number: rand.Uint64()}
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// replyTimeout is longer than the proxy waits for its server.
const replyTimeout = 2*helloTimeout + 5*time.Second

// The time limits of a whole question for counters: where a sample needs them, and where a failure
// does not wait for them.
const (
	reportTimeout = helloTimeout
	soon          = helloTimeout / 10
)

// Dial asks the proxy at an address who it is, and opens a device that reaches it. Without a name
// it is a device like the proxy's. answers says how requests leave the application's memory: "read"
// (or "") or "write".
func Dial(ctx context.Context, addr string, device kvs.Device, answers string) (*Client, error) {
	c := newClient(addr)
	c.answers = mqueue.Answers(answers)
	switch c.answers {
	case "":
		c.answers = mqueue.Read
	case mqueue.Read, mqueue.Written:
	default:
		return nil, fmt.Errorf("answers: found %q, allowed: %s, %s", answers, mqueue.Read,
			mqueue.Written)
	}
	r, local, err := c.ask(ctx)
	if err != nil {
		return nil, err
	}
	c.report = *r
	if device.Name == "" {
		if device.Name, err = likeProxy(r.Provider, local); err != nil {
			return nil, c.failed(err)
		}
	}
	if c.device, err = provider.Open(device.Name, device.Options); err != nil {
		return nil, err
	}
	if port, err := c.device.Port(); err != nil {
		return nil, errors.Join(err, c.device.Close())
	} else if c.device.Info().Emulated && port.LinkLayer != verbs.LinkMemory {
		c.ended.Go(c.progress)
	}
	return c, nil
}

// progressEvery is far shorter than the time after which a peer gives a device up.
const progressEvery = 5 * time.Millisecond

// progress moves the packets of a software device while its sessions rest: a NIC answers the
// proxy's READs by itself at any time.
func (c *Client) progress() {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-c.life.Done():
			return
		case <-tick.C:
			_, _ = c.device.Progress() // its sessions get the error, too
		}
	}
}

// likeProxy names a device of the proxy's provider, at a local address.
func likeProxy(provider, local string) (string, error) {
	switch provider {
	case "shm":
		return provider, nil
	case "softroce":
		host, _, err := net.SplitHostPort(local)
		return provider + ":" + host, err
	}
	return "", fmt.Errorf("device: found %s there, and none here; name a device of this machine "+
		"that reaches it", provider)
}

func (c *Client) failed(err error) error { return fmt.Errorf("proxy %s: %w", c.addr, err) }

// greet connects to the proxy and sends a hello. The caller closes the connection.
func (c *Client) greet(
	ctx context.Context, h hello,
) (net.Conn, *sidechannel.Channel, *reply, error) {
	d := net.Dialer{Timeout: helloTimeout}
	conn, err := d.DialContext(ctx, "tcp", c.addr)
	if err != nil {
		return nil, nil, nil, c.failed(err)
	}
	ch := sidechannel.New(conn)
	ch.SetTimeout(replyTimeout)
	h.Protocol, h.Client = protocol, c.number
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	var r reply
	err = ch.Send(h)
	if receiveErr := ch.Receive(&r); receiveErr == nil {
		err = r.err() // also of a proxy that has no place, and reads nothing
	} else if err == nil {
		err = fmt.Errorf("check that it is a proxy of dpukv: %w", receiveErr)
	}
	if err != nil {
		conn.Close()
		return nil, nil, nil, c.failed(err)
	}
	return conn, ch, &r, nil
}

// ask asks for a report. It returns the local address of the way to the proxy, too.
func (c *Client) ask(ctx context.Context) (_ *Report, local string, err error) {
	conn, _, r, err := c.greet(ctx, hello{})
	if err != nil {
		return nil, "", err
	}
	defer conn.Close()
	if r.Report == nil {
		return nil, "", c.failed(errors.New("found no report; check that it is a proxy of dpukv"))
	}
	return r.Report, conn.LocalAddr().String(), nil
}

// Report asks for the proxy's counters. Close ends it.
func (c *Client) Report() (*Report, error) { return c.within(reportTimeout) }

// ReportSoon is Report for a caller that can do without.
func (c *Client) ReportSoon() (*Report, error) { return c.within(soon) }

func (c *Client) within(limit time.Duration) (*Report, error) {
	ctx, stop := context.WithTimeout(c.life, limit)
	defer stop()
	r, _, err := c.ask(ctx)
	return r, err
}

// Room returns an error if the proxy has no places for so many more pairs of this client.
func (c *Client) Room(more int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if most := c.report.MaxConnections; c.pairs+more > most {
		return c.failed(fmt.Errorf("connections: found %d open and %d more, allowed: %d in all; "+
			"use fewer connections or threads", c.pairs, more, most))
	}
	return nil
}

// Join makes a pair: a link to the server's worker at a port. A window of batches fits the lane,
// each of at most slotBytes.
func (c *Client) Join(port, window, slotBytes int) (*Link, error) {
	slots := 1 << bits.Len(uint(window)) // a power of two, more than the window
	if slots > mqueue.MaxSlots || slotBytes > MaxSlotBytes || slots*slotBytes > MaxLaneBytes {
		return nil, c.failed(fmt.Errorf("window: found %d batches of up to %d bytes, allowed: %d "+
			"of %d, together %d bytes; use a smaller window or batch", window, slotBytes,
			mqueue.MaxSlots-1, MaxSlotBytes, MaxLaneBytes))
	}
	conn, ch, _, err := c.greet(c.life, hello{Port: port, SlotBytes: slotBytes})
	if err != nil {
		return nil, err
	}
	end, err := mqueue.Offer(ch, mqueue.Config{
		Shape:   mqueue.Shape{Slots: slots, SlotBytes: slotBytes},
		Answers: c.answers, Device: c.device, Timeout: stepTimeout,
	})
	if err != nil {
		conn.Close()
		return nil, c.failed(err)
	}
	l := &Link{lane: end, facts: end.Facts(), device: c.device, conn: conn, client: c}
	c.joined(l)
	return l, nil
}

// joined counts a link, and describes it.
func (c *Client) joined(l *Link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &c.lanes
	if f.Ordering != string(mqueue.Fenced) {
		f.Ordering = string(l.facts.Ordering)
	}
	f.Provider, f.Emulated = l.facts.Provider, l.facts.Emulated || c.report.Emulated
	if there := c.report.Provider; there != f.Provider {
		f.Provider += " to " + there
	}
	f.Answers, f.Slots, f.SlotBytes = string(l.facts.Answers), l.facts.Slots, l.facts.SlotBytes
	f.Wait, f.Workers, f.CPUs = c.report.Wait, c.report.Threads, c.report.CPUs
	c.pairs++
	f.Lanes = max(f.Lanes, c.pairs)
}

func (c *Client) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pairs--
}

// Events returns the events of the device since a time, as text for an error.
func (c *Client) Events(since time.Time) string { return verbs.EventText(c.device, since) }

// Warnings returns the serious events of the device since a time.
func (c *Client) Warnings(since time.Time) []string {
	list := verbs.Warnings(c.device, since)
	for i := range list {
		list[i] = "the device of the lanes to the proxy " + strings.TrimSpace(list[i])
	}
	return list
}

// Close closes the device. The caller closes links first.
func (c *Client) Close() error {
	c.end()
	c.ended.Wait()
	return c.device.Close()
}

// Lanes describe the lanes to the proxy: the highest number at once, the slots of the newest, and
// "fenced" if one is.
func (c *Client) Lanes() kvs.LaneFacts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lanes
}
