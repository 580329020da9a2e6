package onesided

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// Name is the store's name.
const Name = "onesided"

// memory is what clients READ: the tables of all workers in one region. It is the server's part of
// the store beside HERD.
type memory struct {
	shape
	workers  int
	inline   string // where values lie
	uniform  bool   // values change their sizes
	seed     uint64
	validate string // how clients check what READs bring
	seals    seals

	pd     verbs.PD // of the tables and of the clients' queue pairs alone
	cq     verbs.CQ
	region verbs.MR
}

func newMemory(c *kvs.ServerConfig) *memory {
	m := &memory{
		shape: shapeOf(c), workers: c.Workers, uniform: !c.FixedSizes,
		seed: rand.Uint64(), validate: cmp.Or(c.ReadCheck, kvs.ByChecksum),
		inline: cmp.Or(c.Inline, kvs.InlineYes),
	}
	m.seals = newSeals(m.seed)
	return m
}

// Begin makes the region.
func (m *memory) Begin(d verbs.Device, facts *kvs.Facts) (err error) {
	size := m.workers * m.stride()
	if err := offheap.Fits(int64(size), offheap.Small); err != nil {
		return fmt.Errorf("memory: found tables of %d MiB: %w", size>>20, err)
	}
	if m.pd, err = d.AllocPD(); err != nil {
		return err
	}
	if m.cq, err = d.CreateCQ(1); err != nil { // clients READ: nothing completes here
		return err
	}
	if m.region, err = m.pd.AllocMR(size, verbs.LocalWrite|verbs.RemoteRead); err != nil {
		return err
	}
	if r, ok := m.region.(interface{ Backing() offheap.Backing }); ok {
		facts.Pages = r.Backing().String()
	}
	facts.Store = Name
	facts.IndexBytes += int64(m.workers * m.places() * itemBytes)
	facts.LogBytes += int64(m.workers * m.ValueBytes)
	facts.Items = max(facts.Items, m.Slots*m.workers*loadPercent/100)
	facts.Neighbourhood, facts.Inline, facts.ReadCheck = m.Neighbourhood, m.inline, m.validate
	facts.Reads = &kvs.ReadFacts{Responder: responder(d.Info())}
	return nil
}

// responder tells who answers READs at the server.
func responder(i verbs.DeviceInfo) string {
	switch {
	case i.Provider == "ibverbs" && i.Emulated:
		return kvs.ByKernel
	case !i.Emulated:
		return kvs.ByNIC
	case strings.HasPrefix(i.Provider, "softroce"):
		return kvs.BySoftware
	}
	return kvs.ByNobody
}

// Engine makes a worker's table.
func (m *memory) Engine(worker int, core *partition.Core) herd.Engine {
	at := worker * m.stride()
	own := m.region.Bytes()[at : at+m.stride()]
	pointers := m.inline == kvs.InlineNo
	return &engine{table: newTable(m.shape, &m.seals, own, pointers, m.uniform), core: core}
}

// grant tells a client how to read.
type grant struct {
	QP     verbs.Endpoint `json:"qp"`
	Region verbs.Region   `json:"region"` // the workers' in a row
	Seed   uint64         `json:"seed"`   // of the seals
	Shape  shape          `json:"shape"`
	// Unchecked: the client believes all that READs bring.
	Unchecked bool `json:"unchecked,omitempty"`
}

// question is what a client asks for one connection.
type question struct {
	QP verbs.Endpoint `json:"qp"`
}

// Admit connects a client's queue pair, which may read the region and do nothing else.
func (m *memory) Admit(asked []byte) (answer any, leave func() error, err error) {
	var q question
	if err := json.Unmarshal(asked, &q); err != nil {
		return nil, nil, fmt.Errorf("the question is invalid: %w", err)
	}
	qp, err := m.pd.CreateQP(verbs.QPConfig{
		Type: verbs.RC, SendCQ: m.cq, RecvCQ: m.cq, MaxSend: 1, MaxRecv: 1,
	})
	if err != nil {
		return nil, nil, err
	}
	if err := herd.CheckPeer(qp.Local(), &q.QP); err != nil {
		return nil, qp.Close, err
	}
	if err := qp.Connect(q.QP); err != nil {
		return nil, qp.Close, err
	}
	return grant{
		QP: qp.Local(), Region: m.region.Region(), Seed: m.seed, Shape: m.shape,
		Unchecked: m.validate == kvs.Unchecked,
	}, qp.Close, nil
}

// check refuses a grant that a session cannot work with.
func (g *grant) check(workers int) error {
	s := &g.Shape
	const most = 1 << 40
	if s.Slots < 1 || s.Slots > most || s.Neighbourhood < kvs.MinNeighbourhood ||
		s.Neighbourhood > kvs.MaxNeighbourhood || s.ValueBytes < 0 || s.ValueBytes > most ||
		s.MaxValue < 0 || s.MaxValue > kvs.MaxValueBytes || g.Region.Length < workers*s.stride() {
		return fmt.Errorf("the server's grant is invalid: found %d workers with %+v in a region "+
			"of %d bytes", workers, *s, g.Region.Length)
	}
	return nil
}

// Close frees the region.
func (m *memory) Close() error { return verbs.Close(m.region, m.cq, m.pd) }
