package storehalf

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"dpukv/kvs"
	"dpukv/kvs/kvstest"
	"dpukv/kvs/mica"
)

// split is a server of both halves.
type split struct {
	kvs.Server // the engine
	store      kvs.Server
}

func (s split) Close() error { return errors.Join(s.Server.Close(), s.store.Close()) }

// startSplit starts both halves in this process.
func startSplit(c *kvs.ServerConfig) (kvs.Server, error) {
	ofStore := *c
	ofStore.Listen = "127.0.0.1:0"
	store, err := Start(&ofStore)
	if err != nil {
		return nil, err
	}
	ofEngine := *c
	ofEngine.StoreAddr = store.Addr()
	engine, err := mica.StartEngine(&ofEngine)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return split{engine, store}, nil
}

func TestConformance(t *testing.T) {
	for _, answers := range []string{"read", "write"} {
		for _, threads := range [][2]int{{1, 1}, {1, 2}, {2, 2}} {
			t.Run(fmt.Sprint(answers, " store=", threads[0], " engine=", threads[1]),
				func(t *testing.T) {
					st := mica.Store
					st.Start = startSplit
					kvstest.Conformance(t, &st, kvstest.Config{
						Server: kvs.ServerConfig{
							Access: "erew", Workers: threads[0], EngineThreads: threads[1],
							Answers: answers,
						},
					})
				})
		}
	}
}

// TestMain gives each thread that polls a processor of the Go runtime, as processes of their own
// have.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(8)
	m.Run()
}
