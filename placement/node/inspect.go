package node

import (
	"context"
	"net"
	"sync"
	"time"

	"dpukv/internal/ports"
	"dpukv/placement/survey"
	"dpukv/verbs/provider"
)

// inspector is a node's side of "testbed check".
type inspector struct {
	listener net.Listener   // nil: none
	echo     net.PacketConn // nil: none
}

// inspect reads the node's facts, and tries what a server or client would do there.
func (in *inspector) inspect(ctx context.Context, m *Inspect) *Inspection {
	found := &Inspection{Report: survey.Read(ctx), Devices: map[string]string{}}
	if ends, own := m.Modes[found.Report.BlueField.CardMode()]; own {
		m.Ends = ends
	}
	in.close()
	var err error
	if in.listener, err = ports.Listen(m.Listen); err != nil {
		found.Error = err.Error()
	} else {
		found.Addr = in.listener.Addr().String()
		go welcome(in.listener)
	}
	for _, d := range m.Devices {
		device, err := provider.Open(d.Device, d.Options)
		if err == nil {
			err = device.Close()
		}
		found.Devices[d.Device] = text(err)
	}
	found.Providers = provider.Available(m.Address)
	if m.Card {
		in.inspectCard(ctx, m, found)
	}
	return found
}

// welcome accepts connections and closes them, until the listener is closed.
func welcome(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Close()
	}
}

// ReachTimeout bounds a connection between nodes: a link that drops everything returns no error.
const ReachTimeout = 3 * time.Second

// reach tries the addresses, all at once.
func (in *inspector) reach(ctx context.Context, m *Reach) *Reached {
	got := &Reached{Now: time.Now(), Errors: map[string]string{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, addr := range m.Addrs {
		all.Go(func() {
			d := net.Dialer{Timeout: ReachTimeout}
			c, err := d.DialContext(ctx, "tcp", addr)
			if err == nil {
				err = c.Close()
			}
			mu.Lock()
			defer mu.Unlock()
			got.Errors[addr] = Fault(err)
		})
	}
	all.Wait()
	reachMore(ctx, m, got)
	return got
}

func (in *inspector) close() {
	if in.listener != nil {
		in.listener.Close()
		in.listener = nil
	}
	if in.echo != nil {
		in.echo.Close()
		in.echo = nil
	}
}

// text returns the text of an error, or "" for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
