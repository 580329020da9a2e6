package storehalf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

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

// TestIllegalFrameCountsOnce checks that a request that the store half refuses is the engine's bad
// frame, and no frame of either half.
func TestIllegalFrameCountsOnce(t *testing.T) {
	s := startStore(t, 1)
	e, err := mica.StartEngine(&kvs.ServerConfig{
		Listen: "127.0.0.1:0", StoreAddr: s.Addr(), Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	engine := e.(*mica.Server)
	defer engine.Close()
	c, err := net.Dial("tcp", engine.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	hello := append(head(24, 1, 0), "dpukv\x00M1"...)
	if _, err := c.Write(append(hello, head(16, 3, 1)...)); err != nil { // an operation is missing
		t.Fatal(err)
	}
	if said, err := io.ReadAll(c); err != nil || !strings.Contains(string(said), "operation") {
		t.Errorf("the engine says %q, %v", said, err)
	}
	stats, err := engine.Stats()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if w, of := stats.Workers[0], theirs.Workers[0]; w.BadFrames != 1 || w.Frames+of.Frames > 0 {
		t.Errorf("engine %+v, store half %+v", w, of)
	}
}

// head is the header of a frame: see package mica.
func head(bytes uint32, kind byte, count uint16) []byte {
	b := binary.LittleEndian.AppendUint32(nil, bytes)
	b = binary.LittleEndian.AppendUint16(append(b, 1, kind), count)
	return binary.LittleEndian.AppendUint64(b, 0)
}

// TestOverSoftRoCE is a short form of it, with packets between the halves.
func TestOverSoftRoCE(t *testing.T) {
	for _, answers := range []string{"read", "write"} {
		t.Run(answers, func(t *testing.T) {
			ofStore := storeConfig(1)
			ofStore.Mode, ofStore.Items, ofStore.KeyBytes = "store", 4096, kvs.MaxKeyBytes
			ofStore.Answers, ofStore.ValueBytes = answers, 2<<10
			ofStore.Device.Name = "softroce:" + verbstest.Addr(0)
			store, err := Start(ofStore)
			if err != nil {
				t.Fatal(err)
			}
			engine, err := mica.StartEngine(&kvs.ServerConfig{
				Listen: "127.0.0.1:0", StoreAddr: store.Addr(), Workers: 1,
				Device: kvs.Device{Name: "softroce:" + verbstest.Addr(1)},
			})
			if err != nil {
				t.Fatal(errors.Join(err, store.Close()))
			}
			server := split{engine, store}
			defer func() {
				if err := server.Close(); err != nil {
					t.Error(err)
				}
			}()
			r, err := mica.Store.Dial(t.Context(), &kvs.DialConfig{Addr: server.Addr()})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if f := r.Facts().Lanes; f == nil || f.Provider != "softroce" || f.Answers != answers {
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
