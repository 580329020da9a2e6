package peer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"dpukv/client"
	"dpukv/hashbench"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/onesided"
	"dpukv/kvs/partition"
	"dpukv/load"
	"dpukv/results"
	"dpukv/verbs/provider"
)

const herdHash = herd.DefaultHash

func environment(t *testing.T) (device, addr, control string) {
	t.Helper()
	device, addr, control = os.Getenv("DEVICE"), os.Getenv("ADDR"), os.Getenv("CONTROL")
	if control == "" {
		t.Skip("DEVICE, ADDR and CONTROL are not set: see the package's comment")
	}
	return device, addr, control
}

// TestHERDServe is a HERD server that runs until a connection to the address in CONTROL ends.
func TestHERDServe(t *testing.T) {
	device, addr, control := environment(t)
	server := must.Get(herd.Start(herd.Config{
		Listen: addr, Device: device, Workers: 1, Mode: partition.Store,
		Items: 100_000, LogBytes: 64 << 20, Hash: herdHash, Version: "test", MaxClients: 16,
	}))(t)
	untilControlEnds(t, control, server)
}

// TestOneSidedServe is a server whose clients read items, likewise.
func TestOneSidedServe(t *testing.T) {
	device, addr, control := environment(t)
	server := must.Get(onesided.Start(&kvs.ServerConfig{
		Listen: addr, Device: kvs.Device{Name: device, Options: provider.Defaults},
		Workers: 1, Items: 100_000, KeyBytes: 16, ValueBytes: 200, Setup: kvs.Setup{Mode: "store"}, Hash: herdHash,
		Version: "test",
	}))(t)
	untilControlEnds(t, control, server)
}

func untilControlEnds(t *testing.T, control string, server *herd.Server) {
	conn := accept(t, control)
	defer conn.Close()
	_, _ = conn.Read(make([]byte, 1)) // its end is all that it says
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// TestHERDDrive is the client of TestHERDServe.
func TestHERDDrive(t *testing.T) { drive(t, herd.Dial) }

// TestOneSidedDrive is the client of TestOneSidedServe. READs answer most of its GETs.
func TestOneSidedDrive(t *testing.T) { drive(t, onesided.Dial) }

func drive[R kvs.Remote](t *testing.T, dialStore func(context.Context, string, herd.Options) (R, error)) {
	device, addr, control := environment(t)
	conn := must.Get(dial(control))(t)
	defer conn.Close()
	remote := must.Get(dialStore(t.Context(), addr, herd.Options{Device: device}))(t)
	defer remote.Close()
	t.Logf("%+v", remote.Facts())
	t.Run("model", func(t *testing.T) { againstModel(t, remote) })
	t.Run("load", func(t *testing.T) { underLoad(t, remote) })
}

// againstModel runs a seeded mixture of all operations, and compares every answer with a plain
// map's.
func againstModel(t *testing.T, remote kvs.Remote) {
	hash := must.Get(hashbench.Lookup(herdHash))(t)
	session := must.Get(remote.Open(kvs.SessionOptions{Batch: 32, Window: 2, Connections: 1}))(t)
	defer session.Close()
	const keys, rounds, perRound = 2000, 50, 200
	random, model := rand.New(rand.NewPCG(1, 2)), make(map[string]string)
	for round := range rounds {
		// Requests in flight together have no order, so each key appears once a round.
		requests := make([]kvs.Request, perRound)
		for i, k := range random.Perm(keys)[:perRound] {
			key := fmt.Appendf(nil, "key-%012d", k)
			requests[i] = kvs.Request{
				Op: kvs.Op(1 + random.IntN(4)), Key: key,
				Value: fmt.Appendf(nil, "%0*d", random.IntN(32), round),
			}
		}
		for i, a := range kvstest.Do(t, session, hash.Sum64, requests) {
			got := reply{a.Status, string(a.Value)}
			if want := expect(model, &requests[i]); got != want {
				t.Fatalf("round %d, %s %s: got %+v, want %+v", round, requests[i].Op, requests[i].Key, got, want)
			}
		}
	}
	t.Logf("%d answers right; traffic %+v", rounds*perRound, session.Traffic())
}

// reply is the comparable part of an answer.
type reply struct {
	status kvs.Status
	value  string
}

// expect applies a request to the model.
func expect(model map[string]string, r *kvs.Request) reply {
	key := string(r.Key)
	old, found := model[key]
	switch {
	case r.Op == kvs.Get && found:
		return reply{kvs.OK, old}
	case r.Op == kvs.Add && found:
		return reply{status: kvs.Exists}
	case (r.Op == kvs.Get || r.Op == kvs.Delete) && !found:
		return reply{status: kvs.NotFound}
	case r.Op == kvs.Delete:
		delete(model, key)
	default:
		model[key] = string(r.Value)
	}
	return reply{status: kvs.OK}
}

// underLoad runs the load client, which checks every answer, too.
func underLoad(t *testing.T, remote kvs.Remote) {
	result := must.Get(client.Run(context.Background(), remote, client.Config{
		Load: load.Load{
			Workload: load.Workload{
				Keys: 20_000, KeyBytes: 16, ValueBytes: 32, GetRatio: .5, Seed: 1,
			},
			Connections: 1, Window: 2, Batch: 32, Hash: herdHash, Warmup: 200 * time.Millisecond,
		},
		Threads: 1, Duration: 3 * time.Second, Timeout: 10 * time.Second,
	}))(t)
	p := &result.Point
	if p.Status != results.StatusOK || p.Ops == 0 || p.Errors > 0 {
		t.Errorf("status %s, %d operations, %d errors: %v", p.Status, p.Ops, p.Errors, result.Examples)
	}
	if i := p.Items; i != nil && i.ReadShare < .9 {
		t.Errorf("READs answered %.4f of the GETs", i.ReadShare)
	}
	t.Logf("%d operations, every answer right; read %+v", p.Ops, p.Items)
}
