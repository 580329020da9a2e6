package rdma

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/kvs"
	"dpukv/probe"
	"dpukv/verbs"
	"dpukv/verbs/perf"
)

// server serves one client.
type server struct {
	device   verbs.Device
	listener net.Listener
	facts    map[string]string
	stop     context.CancelFunc
	done     chan error
	closing  chan struct{} // closed once the server was told to end
}

func serve(_ context.Context, task *probe.Task) (probe.Server, error) {
	dev, err := open(&task.Device)
	if err != nil {
		return nil, err
	}
	port, err := dev.Port()
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	l, err := ports.Listen(task.Listen)
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &server{
		device: dev, listener: l, stop: stop,
		facts: facts(dev.Info(), &port),
		done:  make(chan error, 1), closing: make(chan struct{}),
	}
	go func() { s.done <- s.run(ctx) }()
	return s, nil
}

// facts describe the server's device.
func facts(info verbs.DeviceInfo, port *verbs.Port) map[string]string {
	return map[string]string{
		"device": verbs.Printable(info.Name), "provider": info.Provider,
		"emulated": strconv.FormatBool(info.Emulated), "mtu": strconv.Itoa(port.MTU),
		"link": fmt.Sprint(port.LinkLayer),
	}
}

// run serves one client, and then keeps the device open for its counters.
func (s *server) run(ctx context.Context) error {
	client, err := perf.Accept(ctx, s.listener, nil)
	if err != nil {
		return err
	}
	return errors.Join(perf.Serve(ctx, s.device, client, perf.Observer{}), client.Close())
}

func (s *server) Addr() string { return s.listener.Addr().String() }

func (s *server) Facts() map[string]string { return s.facts }

func (s *server) Moved() kvs.Moved { return kvs.Moved{Device: verbs.PacketsOf(s.device)} }

func (s *server) CPUNs() int64 { return cpu.ProcessNs() }

// Wait returns the error of a server that failed. One that served its client waits for Close.
func (s *server) Wait() error {
	select {
	case err := <-s.done:
		s.done <- err
		if err != nil {
			return err
		}
		<-s.closing
	case <-s.closing:
	}
	return nil
}

// Close ends the server. Only its device can fail then.
func (s *server) Close() error {
	close(s.closing)
	s.stop()
	<-s.done
	return s.device.Close()
}
