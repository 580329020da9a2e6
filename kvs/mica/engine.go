package mica

import (
	"cmp"
	"errors"
	"fmt"

	"dpukv/internal/machine"
	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/internal/halves"
	"dpukv/kvs/mica/proxy"
	"dpukv/verbs"
	"dpukv/verbs/idle"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/provider"
)

// errStoreGone is what clients of an engine read when the store half has ended.
var errStoreGone = errors.New("the store half of this server has ended, or cannot be reached")

// storeHalf is an engine's view of its store half.
type storeHalf struct {
	addr   string
	facts  kvs.Facts
	device verbs.Device
	wait   idle.Policy // of the engine's threads
	lanes  []*mqueue.End
}

// The sizes of lanes. A batch of 64 of the largest items fits a slot, or else a frame.
const (
	leastSlotBytes = 256 << 10
	laneBytes      = 8 << 20 // of the slots of a lane, each way
	studyBatch     = 64
)

// LaneShape returns the size of the lanes for a load.
func LaneShape(c *kvs.ServerConfig) mqueue.Shape {
	value := max(c.MaxValueBytes, c.ValueBytes)
	need := headerBytes + studyBatch*requestBytes(c.LongestKey(), value)
	size := leastSlotBytes
	for size < need && size < mqueue.MaxSlotBytes {
		size *= 2
	}
	return mqueue.Shape{Slots: max(laneBytes/size, 4), SlotBytes: size}
}

// LaneBatch returns the number of operations of a load that fit a slot.
func LaneBatch(c *kvs.ServerConfig, s mqueue.Shape) int {
	each := requestBytes(c.LongestKey(), max(c.MaxValueBytes, c.ValueBytes))
	return min(MaxBatch, (s.SlotBytes-headerBytes)/each)
}

// StartEngine starts a server without items, for the store half at c.StoreAddr.
func StartEngine(c *kvs.HalfConfig) (kvs.Server, error) { return StartEngineOf(c, Config{}) }

// StartEngineOf is StartEngine with the limits of connections that a configuration has.
func StartEngineOf(c *kvs.HalfConfig, limits Config) (kvs.Server, error) {
	h, err := joinStore(c)
	if err != nil {
		return nil, fmt.Errorf("join the store half at %s: %w", c.StoreAddr, err)
	}
	cfg := Config{
		Listen: c.Listen, Workers: len(h.lanes), PartitionsPerWorker: 1, Hash: h.facts.Hash,
		CPUs: c.CPUs, Version: c.Version,
		MaxConnections: limits.MaxConnections, BufferBytes: limits.BufferBytes,
	}
	s, err := startEngine(&cfg, h)
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return s, nil
}

// joinStore makes a lane for each thread.
func joinStore(c *kvs.HalfConfig) (h *storeHalf, err error) {
	h = &storeHalf{addr: c.StoreAddr}
	if h.wait, err = idle.Wait(c.Wait).Policy(); err != nil {
		return nil, err
	}
	threads, err := kvs.EngineThreads(c.EngineThreads, c.Workers)
	if err != nil {
		return nil, err
	}
	if h.facts, err = halves.AskFacts(h.addr); err != nil {
		return nil, err
	}
	if err := h.check(threads); err != nil {
		return nil, err
	}
	name := cmp.Or(c.Device.Name, proxy.DefaultDevice)
	if h.device, err = provider.Open(name, c.Device.Options); err != nil {
		return nil, err
	}
	for thread := range threads {
		end, err := halves.Join(h.addr, halves.Ask{Thread: thread}, h.device)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("thread %d: %w", thread, err), h.Close())
		}
		h.lanes = append(h.lanes, end)
	}
	return h, nil
}

// check refuses another server than a store half for that many threads.
func (h *storeHalf) check(threads int) error {
	f := &h.facts
	switch {
	case f.Store != "mica":
		return fmt.Errorf("store: found %q, allowed: mica", verbs.Printable(f.Store))
	case f.Lanes == nil:
		return errors.New("server: found one without lanes, allowed: one that was started with " +
			"--half store")
	case f.Lanes.Lanes != threads:
		return fmt.Errorf("engine threads: found %d here and %d at the store half, allowed: the "+
			"same; start both halves with the same --engine-threads", threads, f.Lanes.Lanes)
	case f.Partitions != threads:
		return fmt.Errorf("store half: found %d partitions for %d threads of the engine, "+
			"allowed: one for each; use the same dpukv at both ends", f.Partitions, threads)
	}
	return nil
}

func startEngine(cfg *Config, h *storeHalf) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := cfg.limitResources(offheap.Fits); err != nil {
		return nil, err
	}
	s := makeServer(cfg)
	s.items = h
	s.facts = h.factsOf(s.facts)
	if err := s.startWorkers(cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, end := range h.lanes {
		go func() {
			select {
			case <-end.Gone():
				s.End(fmt.Errorf("the store half at %s: %w", h.addr, end.Reason()))
			case <-s.Ended():
			}
		}()
	}
	return s, nil
}

// factsOf returns the facts of the engine: its own, and those of the items.
func (h *storeHalf) factsOf(own kvs.Facts) kvs.Facts {
	f, of := own, &h.facts
	f.Half, f.ServerWait = kvs.PartEngine, "" // the lanes tell
	f.Partitions, f.Mode, f.Access, f.Pages = of.Partitions, of.Mode, of.Access, of.Pages
	f.Items, f.IndexBytes, f.LogBytes = of.Items, of.IndexBytes, of.LogBytes
	f.MinHitRate, f.MaxFrameBytes, f.MaxBatch = of.MinHitRate, of.MaxFrameBytes, of.MaxBatch
	lanes := *of.Lanes
	lanes.Provider = verbs.Printable(lanes.Provider)
	connected := h.lanes[0].Facts()
	if here := connected.Provider; here != lanes.Provider {
		lanes.Provider = here + " to " + lanes.Provider
	}
	lanes.Emulated = lanes.Emulated || connected.Emulated
	for _, end := range h.lanes {
		if o := end.Facts().Ordering; lanes.Ordering != string(mqueue.Fenced) {
			lanes.Ordering = string(o)
		}
	}
	f.Lanes = &lanes
	return f
}

func (h *storeHalf) backend(worker int, pinned bool) backend {
	return newLane(h.lanes[worker], h.device, h.wait, pinned)
}

// addTo adds the store half's counters. Those of a worker go to the first thread of the engine that
// has a lane to it.
func (h *storeHalf) addTo(s *kvs.Stats) error {
	theirs, err := halves.AskStats(h.addr)
	if err != nil {
		return err
	}
	engine := kvs.PartStats{
		Part: kvs.PartEngine, CPUNs: s.CPUNs, Machine: machine.BootID(), CPUs: s.CPUs,
	}
	for i := range s.Workers {
		engine.SpunNs += s.Workers[i].SpunNs
	}
	addEnergy(s, &theirs, engine.Machine)
	s.Parts = append([]kvs.PartStats{engine}, theirs.Parts...)
	s.CPUNs += theirs.CPUNs
	s.Warnings = append(s.Warnings, theirs.Warnings...)
	each := max(len(s.Workers)/max(len(theirs.Workers), 1), 1)
	for i := range theirs.Workers {
		if i*each >= len(s.Workers) {
			break
		}
		w, of := &s.Workers[i*each], &theirs.Workers[i]
		w.Gets, w.Hits, w.Items, w.Evicted, w.Full = of.Gets, of.Hits, of.Items, of.Evicted,
			of.Full
	}
	return nil
}

// addEnergy adds the counters of the store half's machine. Both halves may be on one machine, which
// has the same counters for both. Without those of one of two machines, the energy is not known.
func addEnergy(s, store *kvs.Stats, own string) {
	part, _ := store.PartOf(kvs.PartStore)
	there := part.Machine
	switch {
	case len(s.Energy)+len(store.Energy) == 0:
	case own != "" && own == there:
		if len(s.Energy) == 0 {
			s.Energy = store.Energy
		}
	case own != "" && there != "" && len(s.Energy) > 0 && len(store.Energy) > 0:
		for _, c := range store.Energy {
			c.Name = "store half's " + c.Name
			s.Energy = append(s.Energy, c)
		}
	default:
		s.Energy = nil
		s.Warnings = append(s.Warnings, "server energy unknown: the machine of only one half "+
			"tells its energy. Compare the energy of machines with a meter")
	}
}

// Close gives the lanes back.
func (h *storeHalf) Close() error {
	var errs []error
	for _, end := range h.lanes {
		errs = append(errs, end.Close())
	}
	if h.device != nil {
		errs = append(errs, h.device.Close())
	}
	return errors.Join(errs...)
}
