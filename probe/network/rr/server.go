package rr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/internal/rawsocket"
	"dpukv/kvs"
	"dpukv/probe"
)

// limits bound what a connection may take of a server.
type limits struct {
	hello   time.Duration // from the accept to the whole hello
	message time.Duration // from the first byte of a message to the last byte of its answer
	idle    time.Duration // from an answer to the next message
}

const (
	// greetingMost is the number of connections that may wait for their hello, beside the others.
	greetingMost = 16
	// doorExtra is greetingMost and room for those that are displaced and not gone yet.
	doorExtra = 4 * greetingMost
	idleExtra = time.Minute
)

func limitsOf(t *probe.Task) limits {
	return limits{
		hello: 5 * time.Second, message: 30 * time.Second,
		idle: t.Warmup + t.Duration + idleExtra,
	}
}

// server sends messages back.
type server struct {
	options
	limits   limits
	listener net.Listener
	door     *admission.Door
	threads  []*echoer
	cpus     []int
	stop     atomic.Bool
	running  sync.WaitGroup // goroutines
	ended    chan struct{}  // closed once the server no longer serves
	end      sync.Once
	err      error // why; valid once ended is closed
	closing  sync.Once

	mu       sync.Mutex
	greeting []net.Conn     // without a hello, the oldest first
	peers    map[*peer]bool // with one
	gone     kvs.Moved      // of peers that left
}

// Serve starts a server for a task. It is up when Serve returns. The context bounds the start only.
func Serve(ctx context.Context, t *probe.Task) (probe.Server, error) {
	return serve(ctx, t, limitsOf(t))
}

func serve(ctx context.Context, t *probe.Task, l limits) (*server, error) {
	o, err := optionsOf(t.Settings)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seats, err := o.seats(t.CPUs)
	if err != nil {
		return nil, err
	}
	s := &server{
		options: o, limits: l, cpus: seats, ended: make(chan struct{}), peers: map[*peer]bool{},
	}
	addProcessors(len(seats))
	if err := errors.Join(s.startThreads(seats), s.open(t.Listen)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open lets connections in.
func (s *server) open(addr string) (err error) {
	if s.listener, err = ports.Listen(addr); err != nil {
		return err
	}
	door, err := admission.New(s.listener, admission.Config{
		Most: s.connections + doorExtra, Serve: s.receive, Refusal: refusal,
	})
	if err != nil {
		return errors.Join(err, s.listener.Close())
	}
	s.door = door
	s.running.Go(func() {
		if err := s.door.Run(); err != nil {
			s.fail(err)
		}
	})
	return nil
}

func (s *server) startThreads(seats []int) error {
	for i, on := range seats {
		e, err := newEchoer(s, on)
		if err != nil {
			return err
		}
		s.threads = append(s.threads, e)
		up := make(chan error, 1)
		s.running.Go(func() { e.run(up) })
		if err := <-up; err != nil {
			return fmt.Errorf("thread %d: %w", i, err)
		}
	}
	return nil
}

// fail ends the server with a reason; nil: it was closed.
func (s *server) fail(err error) {
	s.end.Do(func() {
		s.err = err
		close(s.ended)
	})
}

func (s *server) Addr() string { return s.listener.Addr().String() }

func (s *server) Facts() map[string]string {
	facts := map[string]string{
		axisBytes: strconv.Itoa(s.bytes), "threads": strconv.Itoa(len(s.threads)),
		"wait": waitEpoll,
	}
	if len(s.threads) == s.connections {
		facts["wait"] = waitReceive
	}
	if s.cpus[0] >= 0 {
		facts["cpus"] = cpu.FormatList(s.cpus)
	}
	return facts
}

// Moved is the traffic of all connections with a hello, by this machine's kernel.
func (s *server) Moved() kvs.Moved {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.gone
	for p := range s.peers {
		own := rawsocket.Packets(p.fd)
		sum.Sockets.Add(&own)
	}
	return sum
}

func (s *server) CPUNs() int64 { return cpu.ProcessNs() }

// Wait returns when the server ends by itself, or after Close.
func (s *server) Wait() error {
	<-s.ended
	return s.err
}

// Close ends all connections and the server.
func (s *server) Close() error {
	var err error
	s.closing.Do(func() {
		s.stop.Store(true)
		s.fail(nil)
		if s.door != nil {
			err = s.door.Close()
		}
		s.hangUpGreeting()
		s.running.Wait()
		for _, e := range s.threads {
			err = errors.Join(err, e.poller.Close())
		}
		s.leaveAll()
		addProcessors(-len(s.cpus))
	})
	return err
}
