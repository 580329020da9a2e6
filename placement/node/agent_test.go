package node

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpukv/internal/cpu"
	"dpukv/internal/test/must"
	"dpukv/kvs"
	"dpukv/kvs/stores"
	"dpukv/load"
)

// stubServer is a store that does nothing.
type stubServer struct {
	addr   string
	closed chan struct{}
}

func (s stubServer) Addr() string     { return s.addr }
func (s stubServer) Facts() kvs.Facts { return kvs.Facts{Store: "stub"} }
func (s stubServer) Wait() error      { <-s.closed; return nil }
func (s stubServer) Close() error     { close(s.closed); return nil }

// endedServer ended by itself before it is closed, which fails or not.
type endedServer struct {
	stubServer
	closing error
}

func (s endedServer) Wait() error { return errors.New("a worker failed") }

// Close is called once the agent could know of the end.
func (s endedServer) Close() error { synctest.Wait(); return s.closing }

// TestEndedServerIsNamed: also if the order to stop came first, and if Close fails.
func TestEndedServerIsNamed(t *testing.T) {
	for _, closing := range []error{nil, errors.New("the device is gone")} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			stop()
			a := &agent{out: MessageWriter{W: io.Discard}}
			err := a.serve(ctx, endedServer{closing: closing}, false)
			must.Fail(t, err, "the server ended: a worker failed")
			if closing != nil && !errors.Is(err, closing) {
				t.Errorf("found %v, want %v in it", err, closing)
			}
		})
	}
}

// TestPreparesTells: a set-up that uses CPU time tells of more of it, until the measurement begins.
func TestPreparesTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		a := &agent{out: MessageWriter{W: &said}}
		end := a.prepares()
		time.Sleep(10*time.Second + 1)
		for from := cpu.ProcessNs(); cpu.ProcessNs() < from+int64(200*time.Millisecond); {
		}
		time.Sleep(10 * time.Second)
		end()
		end()
		var done []uint64
		must.Do(t, ReadMessages(&said, func(m Message) bool { done = append(done, m.(*Progress).Done); return true }))
		if len(done) != 2 || done[1] <= done[0] {
			t.Errorf("found %v, want two, the second one larger", done)
		}
	})
}

// stubOrNamed finds the stub, or a store of the table.
func stubOrNamed(name string) (kvs.Store, error) {
	if name != "stub" {
		return stores.Named(name)
	}
	server := func(addr string) (kvs.Server, error) {
		return stubServer{addr, make(chan struct{})}, nil
	}
	return kvs.Store{
		MaxBatch: 1,
		Start:    func(*kvs.ServerConfig) (kvs.Server, error) { return server("nowhere:1") },
		Halves: &kvs.Halves{
			StartStore:  func(*kvs.HalfConfig) (kvs.Server, error) { return server("store:1") },
			StartEngine: func(c *kvs.HalfConfig) (kvs.Server, error) { return server("engine of " + c.StoreAddr) },
			StartProxy:  func(c *kvs.ProxyConfig) (kvs.Server, error) { return server("proxy to " + c.Server) },
		},
		Dial: func(context.Context, *kvs.DialConfig) (kvs.Remote, error) {
			return nil, errors.New("nobody there")
		},
	}, nil
}

// peer is the orchestrator's end of an agent that runs in this process.
type peer struct {
	in    *io.PipeWriter
	out   MessageWriter
	inbox chan Message
	ended chan error
}

func startAgent(t *testing.T) *peer { return startAgentThatWaits(t, time.Minute) }

func startAgentThatWaits(t *testing.T, silence time.Duration) *peer {
	t.Helper()
	procs := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{in: inW, out: MessageWriter{W: inW}, inbox: make(chan Message, 8), ended: make(chan error, 1)}
	go func() {
		ReadMessages(outR, func(m Message) bool { p.inbox <- m; return true })
		close(p.inbox)
	}()
	go func() {
		a := &agent{
			version: "test", store: stubOrNamed, out: MessageWriter{W: outW},
			inbox: make(chan Message), silence: silence,
		}
		p.ended <- a.run(context.Background(), inR)
		outW.Close()
		inR.Close()
	}()
	if _, ok := (<-p.inbox).(*Hello); !ok {
		t.Fatal("no hello")
	}
	return p
}

func (p *peer) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.ended:
		p.in.Close()
		for range p.inbox {
		}
		return err
	case <-time.After(time.Minute):
		t.Fatal("the agent does not end")
		return nil
	}
}

var stubSpec = &Configure{Server: &ServerSpec{Store: "stub"}}

func TestAgentServesUntilToldToStop(t *testing.T) {
	p := startAgent(t)
	p.out.Send(stubSpec)
	if r, ok := (<-p.inbox).(*Ready); !ok || r.Addr != "nowhere:1" {
		t.Fatal("not ready")
	}
	p.out.Send(&Stop{})
	if err := p.end(t); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestAgentBecomesAHalf: an agent starts the part that its task names.
func TestAgentBecomesAHalf(t *testing.T) {
	half := func(part, store string) *Configure {
		return &Configure{Server: &ServerSpec{
			Store: "stub", Half: part, HalfConfig: kvs.HalfConfig{
				StoreAddr: store, ServerConfig: kvs.ServerConfig{Setup: kvs.Setup{EngineThreads: 2}},
			},
		}}
	}
	for want, task := range map[string]*Configure{
		"store:1":           half(kvs.PartStore, ""),
		"engine of store:1": half(kvs.PartEngine, "store:1"),
		"proxy to engine:1": {Proxy: &ProxySpec{
			Store: "stub", ProxyConfig: kvs.ProxyConfig{Server: "engine:1", Threads: 1},
		}},
	} {
		p := startAgent(t)
		p.out.Send(task)
		if r, ok := (<-p.inbox).(*Ready); !ok || r.Addr != want {
			t.Errorf("got %+v, want %s", r, want)
		}
		p.out.Send(&Stop{})
		if err := p.end(t); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestAgentEndsWithItsInput(t *testing.T) {
	p := startAgent(t)
	p.out.Send(stubSpec)
	<-p.inbox
	p.in.Close()
	if err := p.end(t); !errors.Is(err, errOrphaned) {
		t.Errorf("got %v, want %v", err, errOrphaned)
	}
	p = startAgent(t)
	p.in.Close()
	if err := p.end(t); !errors.Is(err, errOrphaned) {
		t.Errorf("before it was configured: got %v, want %v", err, errOrphaned)
	}
}

// TestAgentEndsInSilence: behind a cut network, an agent's input does not end. Signs of life keep
// the agent running.
func TestAgentEndsInSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const silence = 2 * time.Second
		p := startAgentThatWaits(t, silence)
		p.out.Send(stubSpec)
		<-p.inbox
		for range 12 {
			time.Sleep(silence / 8)
			p.out.Send(&alive{})
		}
		select {
		case err := <-p.ended:
			t.Fatalf("ended while it was wanted: %v", err)
		default:
		}
		if err := p.end(t); !errors.Is(err, errSilence) {
			t.Errorf("got %v, want %v", err, errSilence)
		}
	})
}

func TestAgentTellsWhyItFails(t *testing.T) {
	client := func(hash string) *Configure {
		return &Configure{Client: &ClientSpec{Store: "stub", Load: load.Load{
			Workload: load.Workload{Dist: load.Uniform, Keys: 1, KeyBytes: 8},
			Batch:    1, Window: 1, Connections: 1, Hash: hash,
		}}}
	}
	for want, m := range map[string]Message{
		`store: found "lmdb", allowed: mica, herd`: &Configure{Server: &ServerSpec{Store: "lmdb"}},
		"configured as neither server nor client":  &Configure{},
		"half engine: servers of redis cannot be split": &Configure{
			Server: &ServerSpec{Store: "redis", Half: kvs.PartEngine},
		},
		`half: found "half", allowed: store, engine`: &Configure{Server: &ServerSpec{Store: "stub", Half: "half"}},
		"proxy: clients of redis cannot be split":    &Configure{Proxy: &ProxySpec{Store: "redis"}},
		"or as several of them": &Configure{
			Server: stubSpec.Server, Proxy: &ProxySpec{Store: "stub"}, Client: &ClientSpec{},
		},
		"nobody there":                              client("city64"),
		"hash: found md4, allowed: city32":          client("md4"),
		"received the message go instead of config": &Begin{},
		"pin to CPUs [1000]":                        &Configure{CPUs: []int{1000}, Server: stubSpec.Server},
	} {
		p := startAgent(t)
		p.out.Send(m)
		f, ok := (<-p.inbox).(*Failed)
		if !ok || !strings.Contains(f.Error, want) {
			t.Errorf("got %+v, want %s", f, want)
		}
		must.Fail(t, p.end(t), want)
	}
}

func TestAgentRefusesGarbage(t *testing.T) {
	p := startAgent(t)
	io.WriteString(p.in, "make me a server\n")
	must.Fail(t, p.end(t), `the orchestrator sent "make me a server", which is no message`)
}

func FuzzDecodeMessage(f *testing.F) {
	f.Add([]byte(`{"type":"ready","body":{"addr":"x"}}`))
	f.Add([]byte(`{"type":"go"}`))
	f.Add([]byte(`{"type":"hello","body":{"protocol":1,"machine":{"cpus":2}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decodeMessage(text)
		if (m == nil) == (err == nil) {
			t.Fatalf("got %v and %v", m, err)
		}
	})
}
