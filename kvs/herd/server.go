package herd

import (
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// Server is a running HERD server.
type Server struct {
	*kvs.Life
	cfg            Config
	facts          kvs.Facts
	port           verbs.Port
	device         verbs.Device
	pd             verbs.PD
	table          *partition.Table
	workers        []*worker
	listener       net.Listener
	door           *admission.Door
	maxValue       int
	statsReader    statsReader
	joining        chan struct{} // a goroutine that has put something in may join
	clientFailures clientFailures

	mu          sync.Mutex
	clients     map[*client]struct{}
	slotHolders int       // clients that have slots, or have left some that could not be freed
	joined      uint32    // the number of the last one
	busy        time.Time // when the first current slot holder came, or the last time there was one
	closing     bool
	serving     sync.WaitGroup // the door and the clients' goroutines
}

// Start opens the device, makes the table and starts the workers. When it returns, the server
// accepts clients.
func Start(cfg Config) (*Server, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := cfg.limitResources(); err != nil {
		return nil, err
	}
	s := &Server{
		Life: kvs.NewLife(), cfg: cfg, busy: time.Now(), clients: map[*client]struct{}{},
		statsReader: statsReader{turn: make(chan struct{}, 1)}, joining: make(chan struct{}, 1),
	}
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) start() (err error) {
	if s.listener, err = s.cfg.listen(s.cfg.Listen); err != nil {
		return err
	}
	if s.device, err = s.cfg.open(s.cfg.Device, s.cfg.DeviceOptions); err != nil {
		return err
	}
	if s.port, err = s.device.Port(); err != nil {
		return err
	}
	if s.pd, err = s.device.AllocPD(); err != nil {
		return err
	}
	s.maxValue = min(s.cfg.SlotBytes-requestBytes(1, 0, math.MaxInt), s.port.MTU)
	if s.table, err = s.cfg.table(); err != nil {
		return err
	}
	s.facts = s.makeFacts()
	if x := s.cfg.Extension; x != nil {
		if err := x.Begin(s.device, &s.facts); err != nil {
			return err
		}
	}
	for i := range s.cfg.Workers {
		w, err := newWorker(s, i)
		if err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
		s.workers = append(s.workers, w)
		if s.cfg.manual {
			continue
		}
		if err := w.start(); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return s.openDoor()
}

// openDoor starts to accept clients.
func (s *Server) openDoor() (err error) {
	s.door, err = admission.New(s.listener, admission.Config{
		Most: s.cfg.MaxConnections, Serve: s.receive, Refusal: refusal, Spare: s.cfg.spare,
		Full: s.makeRoom,
	})
	if err != nil || s.cfg.manual {
		return err
	}
	s.serving.Go(func() {
		if err := s.door.Run(); err != nil {
			s.ended(err)
		}
	})
	return nil
}

func (s *Server) makeFacts() kvs.Facts {
	index, log := s.table.Memory()
	info := s.device.Info()
	return kvs.Facts{
		Store: "herd", Version: s.cfg.Version, Transport: "rdma", Provider: info.Provider,
		Emulated: info.Emulated,
		Workers:  s.cfg.Workers, Partitions: s.cfg.Workers,
		Hash:  s.cfg.Hash,
		Setup: kvs.Setup{Mode: s.cfg.Mode.String(), Access: partition.EREW.String()},
		CPUs:  s.cfg.CPUs[:min(len(s.cfg.CPUs), s.cfg.Workers)], Pages: s.table.Backing().String(),
		Items:      s.cfg.Items,
		IndexBytes: index, LogBytes: log, MinHitRate: s.cfg.Mode.MinHitRate(),
		MaxBatch: s.cfg.Window, MaxFrameBytes: s.cfg.Window * s.cfg.SlotBytes,
		MaxConnections: s.cfg.MaxConnections, MaxClientBytes: s.cfg.clientBytes(),
	}
}

func (s *Server) welcome() welcome {
	return welcome{
		Facts: s.facts, LinkLayer: s.port.LinkLayer, Window: s.cfg.Window,
		SlotBytes: s.cfg.SlotBytes, MaxValue: s.maxValue, Device: s.device.Info(),
	}
}

// Addr is the address that clients dial.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Facts are the facts for clients.
func (s *Server) Facts() kvs.Facts { return s.facts }

// Stats asks every worker for its counters.
func (s *Server) Stats() (kvs.Stats, error) {
	stats := kvs.Stats{
		CPUNs: cpu.ProcessNs(), CPUs: cpu.OccupiedBy(s.facts.CPUs), Energy: energy.Read(),
		Workers: make([]kvs.WorkerStats, len(s.workers)),
	}
	for i, w := range s.workers {
		if !w.do(func() { stats.Workers[i] = w.snapshot() }) {
			return kvs.Stats{}, fmt.Errorf("worker %d: %w", i, net.ErrClosed)
		}
	}
	since := s.busySince()
	for _, warning := range verbs.Warnings(s.device, since) {
		stats.Warnings = append(stats.Warnings, "the server's device "+warning)
	}
	atDoor := s.door.Counts()
	for _, warning := range append(atDoor.Warnings(since), s.clientFailures.warnings(since)...) {
		stats.Warnings = append(stats.Warnings, "the server: "+warning)
	}
	return stats, nil
}

// busySince returns the start of the current load, or of the last one.
func (s *Server) busySince() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy
}

// Moved returns the traffic of the server's device.
func (s *Server) Moved() kvs.Moved { return kvs.Moved{Device: verbs.PacketsOf(s.device)} }

// DeviceCounters returns the counters of the server's device: see [verbs.Device].
func (s *Server) DeviceCounters() map[string]uint64 { return s.device.Counters() }

// ended notes the first reason why the server has ended; a device event may be the cause. A server
// that has lost a worker tells its clients.
func (s *Server) ended(err error) {
	err = verbs.Explain(err, s.device, s.busySince())
	if s.End(err) && err != nil {
		s.endAll(err)
	}
}

// Close ends the connections and the workers, and frees the memory.
func (s *Server) Close() error { return s.Stop(s.free) }

func (s *Server) free() error {
	errs := []error{admission.Close(s.door, s.listener)}
	s.endAll(errors.New("it is being closed"))
	s.serving.Wait() // clients can leave only while the workers run
	for _, w := range s.workers {
		errs = append(errs, w.stop())
	}
	if s.device != nil {
		if x := s.cfg.Extension; x != nil {
			errs = append(errs, x.Close())
		}
		errs = append(errs, s.device.Close())
	}
	if s.table != nil {
		errs = append(errs, s.table.Close())
	}
	return errors.Join(errs...)
}
