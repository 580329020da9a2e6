package storehalf

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/mica"
	"dpukv/verbs/verbstest"
)

// split is a server of both halves.
type split struct {
	kvs.Server // the engine
	store      kvs.Server
}

func (s split) Close() error { return errors.Join(s.Server.Close(), s.store.Close()) }

// startSplit starts both halves in this process.
func startSplit(c kvs.HalfConfig) (kvs.Server, error) {
	ofEngine := c
	c.Listen = "127.0.0.1:0"
	store, err := Start(&c)
	if err != nil {
		return nil, err
	}
	ofEngine.StoreAddr = store.Addr()
	engine, err := mica.StartEngine(&ofEngine)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return split{engine, store}, nil
}

func TestConformance(t *testing.T) {
	for answers, all := range map[string][][2]int{
		"read": {{1, 1}, {1, 2}, {2, 2}}, "write": {{2, 2}, {1, 1}, {1, 2}},
	} {
		if testing.Short() {
			all = all[:1]
			t.Log("a short run: one number of threads")
		}
		for _, threads := range all {
			wait := "poll"
			if threads[1] > 1 { // threads that poll take each other's CPUs where there are few
				wait = "nap"
			}
			t.Run(fmt.Sprint(answers, " store=", threads[0], " engine=", threads[1], " ", wait),
				func(t *testing.T) {
					st := mica.Store
					st.Start = func(c *kvs.ServerConfig) (kvs.Server, error) {
						half := kvs.HalfConfig{ServerConfig: *c}
						half.EngineThreads, half.Answers, half.Wait = threads[1], answers, wait
						return startSplit(half)
					}
					kvstest.Conformance(t, &st, kvstest.Config{
						Server: kvs.ServerConfig{Setup: kvs.Setup{Access: "erew"}, Workers: threads[0]},
					})
				})
		}
	}
}

// TestOverDevices is a short form of it, with packets between the halves, and with devices that give
// messages effect in any order which a model permits.
func TestOverDevices(t *testing.T) {
	pairs := []struct{ store, engine, provider, ordering string }{
		{"softroce:" + verbstest.Addr(0), "softroce:" + verbstest.Addr(1), "softroce", "low to high"},
		{"shm:nasty=pcie", "shm:nasty=pcie,seed=1", "shm nasty=pcie", "fenced"},
		{
			"softroce:" + verbstest.Addr(2) + ",nasty=pcie",
			"softroce:" + verbstest.Addr(3) + ",nasty=pcie,seed=1", "softroce nasty=pcie", "fenced",
		},
	}
	for i := range 2 * len(pairs) {
		if testing.Short() && i != 3 {
			t.Log("a short run: written answers of one pair")
			continue
		}
		pair, answers := pairs[i/2], []string{"read", "write"}[i%2]
		t.Run(pair.provider+" "+answers, func(t *testing.T) {
			ofStore := storeConfig(1)
			ofStore.Mode, ofStore.Items, ofStore.KeyBytes = "store", 4096, kvs.MaxKeyBytes
			ofStore.Answers, ofStore.ValueBytes = answers, 2<<10
			ofStore.Device.Name = pair.store
			store := must.Keep(Start(ofStore))(t)
			ofEngine := engineConfig(store.Addr(), 1)
			ofEngine.Device.Name = pair.engine
			engine := must.Keep(mica.StartEngine(ofEngine))(t)
			r := must.Get(mica.Store.Dial(t.Context(), &kvs.DialConfig{Addr: engine.Addr()}))(t)
			defer r.Close()
			if f := r.Facts().Lanes; f == nil || f.Provider != pair.provider || f.Answers != answers ||
				f.Ordering != pair.ordering {
				t.Errorf("found %+v", f)
			}
			kvstest.Conform(t, r, kvstest.Limits{MaxValueBytes: 2 << 10})
		})
	}
}

// TestMain gives each thread that polls a processor of the Go runtime, as processes of their own
// have. It is also the process of an engine.
func TestMain(m *testing.M) {
	if store := os.Getenv(engineOf); store != "" {
		runEngine(store)
	}
	runtime.GOMAXPROCS(8)
	m.Run()
}
