package proxy

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/ports"
	"dpukv/kvs"
	"dpukv/verbs"
	"dpukv/verbs/idle"
	"dpukv/verbs/provider"
)

// Server is a running proxy.
type Server struct {
	*kvs.Life
	cfg      Config
	device   verbs.Device
	info     verbs.DeviceInfo
	listener net.Listener
	door     *admission.Door
	places   places
	pumps    []*pump

	mu      sync.Mutex
	visits  map[*visit]struct{} // connections before they have a pair
	closing bool
	serving sync.WaitGroup // the door, visits, and pairs that leave

	// The first lane that failed, and the first server that was not there, are reported.
	lost, unreached sync.Once
}

// Start opens the device, and starts the threads and the side channel.
func Start(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Server{
		Life: kvs.NewLife(), cfg: cfg, visits: map[*visit]struct{}{},
		places: places{
			most: cfg.MaxConnections, mostBytes: cfg.LaneBytes, clients: map[uint64]int{},
		},
	}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) start() (err error) {
	if s.listener, err = ports.Listen(s.cfg.Listen); err != nil {
		return err
	}
	if s.device, err = provider.Open(s.cfg.Device.Name, s.cfg.Device.Options); err != nil {
		return err
	}
	s.info = s.device.Info()
	for i := range s.cfg.Threads {
		p, err := startPump(s, i)
		if err != nil {
			return fmt.Errorf("thread %d: %w", i, err)
		}
		s.pumps = append(s.pumps, p)
	}
	s.door, err = admission.New(s.listener, admission.Config{
		Most: s.cfg.MaxConnections + reportPlaces, Serve: s.receive, Refusal: refusal,
	})
	if err != nil {
		return err
	}
	s.serving.Go(func() {
		if err := s.door.Run(); err != nil {
			s.End(err)
		}
	})
	return nil
}

// Addr is the address of the side channel.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Facts are the facts of the proxy. The server's are those of its server.
func (s *Server) Facts() kvs.Facts {
	return kvs.Facts{
		Store: "mica", Version: s.cfg.Version, Half: kvs.PartProxy, Transport: "tcp",
		Provider: s.info.Provider, Emulated: s.info.Emulated, Workers: s.cfg.Threads,
		CPUs:           s.cfg.CPUs[:min(len(s.cfg.CPUs), s.cfg.Threads)],
		MaxConnections: s.cfg.MaxConnections,
	}
}

// report returns the counters of the proxy for a client.
func (s *Server) report(client uint64) *Report {
	r := &Report{
		Version: s.cfg.Version, Provider: s.info.Provider, Emulated: s.info.Emulated,
		Threads: s.cfg.Threads, CPUs: s.Facts().CPUs, CPUNs: cpu.ProcessNs(),
		MaxConnections: s.cfg.MaxConnections, Wait: string(cmp.Or(s.cfg.Wait, idle.Poll)),
	}
	r.Pairs, r.OthersPairs = s.places.count(client)
	for _, p := range s.pumps {
		r.SpunNs += p.spunNs.Load()
		r.Frames += p.frames.Load()
		r.Writes += p.writes.Load()
		packets := p.packets()
		r.Sockets.Add(&packets)
	}
	return r
}

// lostLane reports the first lane that failed while its client was there: no message can tell the
// client.
func (s *Server) lostLane(why error) {
	if errors.Is(why, io.EOF) || errors.Is(why, syscall.ECONNRESET) {
		return // the client has left
	}
	s.cfg.tellOnce(&s.lost, fmt.Sprintf("a client's connection ended: %v", why))
}

// Close ends the connections and the threads, and frees the memory.
func (s *Server) Close() error { return s.Stop(s.free) }

func (s *Server) free() error {
	errs := []error{admission.Close(s.door, s.listener)}
	s.endVisits()
	for _, p := range s.pumps {
		p.stop()
	}
	s.serving.Wait()
	if s.device != nil {
		errs = append(errs, s.device.Close())
	}
	return errors.Join(errs...)
}
