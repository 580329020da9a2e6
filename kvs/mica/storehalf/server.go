package storehalf

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/internal/admission"
	"dpukv/internal/cpu"
	"dpukv/internal/energy"
	"dpukv/internal/machine"
	"dpukv/internal/ports"
	"dpukv/kvs"
	"dpukv/kvs/mica"
	"dpukv/kvs/mica/proxy"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
)

// Server is a running store half.
type Server struct {
	*kvs.Life
	facts    kvs.Facts
	shape    mqueue.Shape
	answers  mqueue.Answers
	wait     idle.Policy // of the workers
	threads  int         // of the engine
	listener net.Listener
	door     *admission.Door
	device   verbs.Device
	table    *partition.Table
	workers  []*worker

	mu       sync.Mutex
	closing  bool
	taken    map[int]bool           // threads of the engine with a lane
	open     map[net.Conn]time.Time // side channels; since when they have not asked, or zero
	serving  sync.WaitGroup
	awaiting atomic.Int64 // side channels that wait for a lane
}

// Start makes a table with room for the configured items, starts the workers, and listens for an
// engine.
func Start(c *kvs.HalfConfig) (kvs.Server, error) {
	cfg, err := mica.ConfigOf(&c.ServerConfig)
	if err != nil {
		return nil, err
	}
	cfg.LogBytes = partition.LogBytesOf(&c.ServerConfig, cfg.Mode)
	return start(c, cfg)
}

func start(c *kvs.HalfConfig, cfg mica.Config) (kvs.Server, error) {
	s := &Server{
		Life: kvs.NewLife(), taken: map[int]bool{}, open: map[net.Conn]time.Time{},
	}
	if err := s.configure(c, &cfg); err != nil {
		return nil, err
	}
	if err := s.start(c, &cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// configure checks what the halves need beyond a whole server.
func (s *Server) configure(c *kvs.HalfConfig, cfg *mica.Config) error {
	s.answers = mqueue.Answers(cmp.Or(c.Answers, string(mqueue.Read)))
	if err := s.answers.Check(); err != nil {
		return err
	}
	var err error
	if s.wait, err = idle.Wait(c.Wait).Policy(); err != nil {
		return err
	}
	if s.threads, err = kvs.EngineThreads(c.EngineThreads, c.Workers); err != nil {
		return err
	}
	switch {
	case c.Workers < 1 || s.threads > mica.MaxWorkers:
		return fmt.Errorf("threads: found %d of the store and %d of its engine, allowed: 1 to %d",
			c.Workers, s.threads, mica.MaxWorkers)
	case cfg.Access != partition.EREW:
		return fmt.Errorf("access: found %s with a store in halves, allowed: %s", cfg.Access,
			partition.EREW)
	}
	s.shape = mica.LaneShape(&c.ServerConfig)
	cfg.PartitionsPerWorker = s.threads / c.Workers
	return cpu.MayUse(c.CPUs)
}

func (s *Server) start(c *kvs.HalfConfig, cfg *mica.Config) (err error) {
	if s.listener, err = ports.Listen(c.Listen); err != nil {
		return err
	}
	name := cmp.Or(c.Device.Name, proxy.DefaultDevice)
	if s.device, err = provider.Open(name, c.Device.Options); err != nil {
		return err
	}
	if s.table, err = cfg.Table(); err != nil {
		return err
	}
	s.facts = s.makeFacts(c, cfg)
	for i := range c.Workers {
		w := newWorker(s, i)
		if err := w.start(); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
		s.workers = append(s.workers, w)
	}
	s.door, err = admission.New(s.listener, admission.Config{
		Most: maxChannels(s.threads), Serve: s.receive, Refusal: refusal, Full: s.makeRoom,
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

func (s *Server) makeFacts(c *kvs.HalfConfig, cfg *mica.Config) kvs.Facts {
	index, log := s.table.Memory()
	info := s.device.Info()
	return kvs.Facts{
		Store: "mica", Version: c.Version, Half: kvs.PartStore, Transport: "rdma",
		Provider: info.Provider, Emulated: info.Emulated, Workers: c.Workers, Partitions: s.threads,
		Hash: cfg.Hash, Setup: kvs.Setup{Mode: cfg.Mode.String(), Access: cfg.Access.String()},
		CPUs: c.CPUs[:min(len(c.CPUs), c.Workers)], Pages: s.table.Backing().String(),
		Items: cfg.Items, IndexBytes: index, LogBytes: log, MinHitRate: cfg.Mode.MinHitRate(),
		MaxBatch: mica.LaneBatch(&c.ServerConfig, s.shape), MaxFrameBytes: s.shape.SlotBytes,
		Lanes: &kvs.LaneFacts{
			Provider: info.Provider, Emulated: info.Emulated, Answers: string(s.answers),
			Wait:  cmp.Or(c.Wait, string(idle.Poll)),
			Lanes: s.threads, Slots: s.shape.Slots, SlotBytes: s.shape.SlotBytes,
			Workers: c.Workers, CPUs: c.CPUs[:min(len(c.CPUs), c.Workers)],
		},
	}
}

// Addr is the address of the side channel.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Facts are the facts for the engine.
func (s *Server) Facts() kvs.Facts { return s.facts }

// Moved returns the traffic of the device.
func (s *Server) Moved() kvs.Moved { return kvs.Moved{Device: verbs.PacketsOf(s.device)} }

// Stats asks every worker for its counters.
func (s *Server) Stats() (kvs.Stats, error) {
	stats := kvs.Stats{
		CPUNs: cpu.ProcessNs(), CPUs: cpu.OccupiedBy(s.facts.CPUs), Energy: energy.Read(),
		Workers: make([]kvs.WorkerStats, len(s.workers)),
	}
	var spun int64
	for i, w := range s.workers {
		if !w.do(func() { stats.Workers[i] = w.snapshot() }) {
			return kvs.Stats{}, fmt.Errorf("worker %d: %w", i, net.ErrClosed)
		}
		spun += stats.Workers[i].SpunNs
	}
	stats.Parts = []kvs.PartStats{{
		Part: kvs.PartStore, CPUNs: stats.CPUNs, SpunNs: spun,
		Machine: machine.BootID(), CPUs: stats.CPUs,
	}}
	return stats, nil
}

// Close ends the workers and the side channels, and frees the memory.
func (s *Server) Close() error { return s.Stop(s.free) }

func (s *Server) free() error {
	errs := []error{admission.Close(s.door, s.listener)}
	for _, w := range s.workers {
		w.stop()
	}
	s.endAll()
	s.serving.Wait()
	if s.device != nil {
		errs = append(errs, s.device.Close())
	}
	if s.table != nil {
		errs = append(errs, s.table.Close())
	}
	return errors.Join(errs...)
}
