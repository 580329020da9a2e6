package onesided

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
	"dpukv/verbs/provider"
	"dpukv/verbs/verbstest"

	"dpukv/hashbench"
)

var hashOf = func() func(key []byte) uint64 {
	f, err := hashbench.Lookup(Store.Study.Hash)
	if err != nil {
		panic(err)
	}
	return f.Sum64
}()

func testConfig() kvs.ServerConfig {
	return kvs.ServerConfig{
		Listen: "127.0.0.1:0", Workers: 1, Items: 1000, KeyBytes: 16, ValueBytes: 200,
		MaxValueBytes: 200, Setup: kvs.Setup{Mode: "store", Access: "erew"}, Hash: Store.Study.Hash,
	}
}

// newEngine makes an engine over memory that nobody reads.
func newEngine(t testing.TB, m *memory, cfg *kvs.ServerConfig) *engine {
	t.Helper()
	mode := must.Get(partition.ParseMode(cfg.Mode))(t)
	few := *cfg
	few.Items = partitionItems(cfg, &m.shape)
	table := must.Keep(partition.New(partition.Config{
		Mode: mode, Cores: cfg.Workers, PerCore: 1, Items: few.Items,
		LogBytes: partition.LogBytesOf(&few, mode),
	}))(t)
	return m.Engine(0, table.Core(0)).(*engine)
}

// rig is a worker's table, and a lane that reads it without a session: what it asks of the server is
// only counted.
type rig struct {
	engine *engine
	lane   *lane
	client verbs.Device
	cq     verbs.CQ
	counts kvs.ReadTraffic
	asked  int
	out    []byte
}

// newRig has the client's device read from the server's.
func newRig(t testing.TB, cfg kvs.ServerConfig, server, client string) *rig {
	t.Helper()
	there := must.Keep(provider.Open(server, provider.Defaults))(t)
	here := must.Keep(provider.Open(client, provider.Defaults))(t)
	m := newMemory(&cfg)
	must.Do(t, m.Begin(there, &kvs.Facts{}))
	r := rigOf(t, m, &cfg, here)
	serveREADs(t, there)
	return r
}

func rigOf(t testing.TB, m *memory, cfg *kvs.ServerConfig, here verbs.Device) *rig {
	t.Helper()
	r := &rig{
		engine: newEngine(t, m, cfg), client: here, out: make([]byte, 0, kvs.MaxValueBytes),
	}
	pd := must.Get(here.AllocPD())(t)
	r.cq = must.Get(here.CreateCQ(256))(t)
	o := kvs.SessionOptions{Batch: 8, Window: 2, Connections: 1}
	r.lane = must.Get(newLane(here, pd, r.cq, o, 1, 0))(t)
	r.lane.traffic = &r.counts
	text := must.Get(json.Marshal(question{QP: r.lane.qp.Local()}))(t)
	answer, _, err := m.Admit(text)
	must.Do(t, err)
	must.Do(t, r.lane.connect(pd, must.Get(json.Marshal(answer))(t)))
	return r
}

// serveREADs is the thread of a device in software that answers READs.
func serveREADs(t testing.TB, there verbs.Device) {
	if there.Info().Provider != "softroce" {
		return
	}
	var stop sync.WaitGroup
	over := make(chan struct{})
	stop.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			if _, err := there.Progress(); err != nil {
				t.Error(err)
				return
			}
			_ = there.Wait(0)
		}
	})
	t.Cleanup(func() { close(over); stop.Wait() })
}

// get reads keys, at most a batch. It returns the answers of READs alone.
func (r *rig) get(keys [][]byte, answers []kvs.Answer) ([]kvs.Answer, error) {
	l := r.lane
	for i, k := range keys {
		l.stage(&kvs.Request{Op: kvs.Get, Key: k, Hash: hashOf(k), Cookie: uint64(i)})
	}
	if _, err := l.postOpen(); err != nil {
		return nil, err
	}
	var wcs [16]verbs.WC
	turns := 0
	for end := time.Now().Add(20 * time.Second); l.pending > 0; {
		if _, err := r.client.Progress(); err != nil {
			return nil, err
		}
		n, err := r.cq.Poll(wcs[:])
		if err != nil {
			return nil, err
		}
		for i := range wcs[:n] {
			if wcs[i].Status != verbs.StatusSuccess {
				return nil, fmt.Errorf("a READ completed with: %s", wcs[i].Status)
			}
			if answers, err = l.arrived(uint32(wcs[i].ID), kvs.NowNs(), answers); err != nil {
				return nil, err
			}
		}
		for _, i := range l.asks {
			l.leave(i)
			r.asked++
		}
		l.asks = l.asks[:0]
		l.advance()
		if turns++; turns%1024 > 0 {
			continue
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("no READ completed within 20 s")
		}
		_ = r.client.Wait(0) // the others may need the CPU
	}
	return answers, nil
}

// do executes one operation of the worker.
func (r *rig) do(op kvs.Op, key, value []byte) kvs.Status {
	ops := [1]partition.Op{{Code: op, Key: key, Value: value, Hash: hashOf(key)}}
	r.engine.Execute(ops[:], r.out)
	return ops[0].Status
}

// numbered is a value whose words all are a number. So parts of two show.
func numbered(n uint64, size int) []byte {
	v := make([]byte, size)
	for i := 0; i+wordBytes <= size; i += wordBytes {
		binary.LittleEndian.PutUint64(v[i:], n)
	}
	return v
}

// number is the number of such a value. whole: all words have it.
func number(v []byte) (n uint64, whole bool) {
	if len(v) < wordBytes {
		return 0, false
	}
	n = binary.LittleEndian.Uint64(v)
	for i := 0; i+wordBytes <= len(v); i += wordBytes {
		if binary.LittleEndian.Uint64(v[i:]) != n {
			return n, false
		}
	}
	return n, true
}

// model is a way to read, and how slow it is.
type model struct {
	name           string
	server, client string
	slow           int // GETs of the fastest one for one of this
}

// rig has few places for a key: a nasty device takes a step for each word or byte of them.
func (m *model) rig(t testing.TB, change ...func(*kvs.ServerConfig)) *rig {
	t.Helper()
	cfg := testConfig()
	cfg.Neighbourhood = 4
	for _, f := range change {
		f(&cfg)
	}
	return newRig(t, cfg, m.server, m.client)
}

func models() []model {
	return []model{
		{"shm", "shm", "shm", 1},
		{"last-word", "shm", "shm:nasty=last-word,seed=1", 10},
		{"pcie", "shm", "shm:nasty=pcie,seed=1", 10},
		{"ibta", "shm", "shm:nasty=ibta,seed=1", 100},
		{"softroce", "softroce:" + verbstest.Addr(1), "softroce:" + verbstest.Addr(2), 100},
	}
}
