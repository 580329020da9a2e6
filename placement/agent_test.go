package placement

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpukv/kvs"
)

// stubServer is a store that does nothing.
type stubServer struct{ closed chan struct{} }

func (s stubServer) Addr() string     { return "nowhere:1" }
func (s stubServer) Facts() kvs.Facts { return kvs.Facts{Store: "stub"} }
func (s stubServer) Wait() error      { <-s.closed; return nil }
func (s stubServer) Close() error     { close(s.closed); return nil }

// peer is the orchestrator's end of an agent that runs in this process.
type peer struct {
	in    *io.PipeWriter
	out   messageWriter
	inbox chan message
	ended chan error
}

func startAgent(t *testing.T) *peer {
	t.Helper()
	stores["stub"] = store{
		maxBatch: 1,
		serve:    func(*serverSpec, []int, string) (server, error) { return stubServer{make(chan struct{})}, nil },
		dial:     func(context.Context, *clientSpec) (kvs.Remote, error) { return nil, errors.New("nobody there") },
	}
	procs := runtime.GOMAXPROCS(0)
	t.Cleanup(func() {
		delete(stores, "stub")
		runtime.GOMAXPROCS(procs)
	})
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{in: inW, out: messageWriter{w: inW}, inbox: make(chan message, 8), ended: make(chan error, 1)}
	go func() {
		readMessages(outR, func(m message) bool { p.inbox <- m; return true })
		close(p.inbox)
	}()
	go func() {
		p.ended <- RunNode(context.Background(), inR, outW, "test")
		outW.Close()
		inR.Close()
	}()
	if _, ok := (<-p.inbox).(*hello); !ok {
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
	case <-time.After(5 * time.Second):
		t.Fatal("the agent does not end")
		return nil
	}
}

var stubSpec = &configure{Server: &serverSpec{Store: "stub"}}

func TestAgentServesUntilToldToStop(t *testing.T) {
	p := startAgent(t)
	p.out.send(stubSpec)
	if r, ok := (<-p.inbox).(*ready); !ok || r.Addr != "nowhere:1" {
		t.Fatal("not ready")
	}
	p.out.send(&stop{})
	if err := p.end(t); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestAgentEndsWithItsInput(t *testing.T) {
	p := startAgent(t)
	p.out.send(stubSpec)
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

func TestAgentTellsWhyItFails(t *testing.T) {
	for want, m := range map[string]message{
		`store "lmdb" is not built yet`:           &configure{Server: &serverSpec{Store: "lmdb"}},
		"configured as neither server nor client": &configure{},
		"nobody there":                              &configure{Client: &clientSpec{Store: "stub", Hash: "city64"}},
		`hash function "md4" is unknown`:            &configure{Client: &clientSpec{Store: "stub", Hash: "md4"}},
		"received the message go instead of config": &start{},
		"pin to CPUs [1000]":                        &configure{CPUs: []int{1000}, Server: stubSpec.Server},
	} {
		p := startAgent(t)
		p.out.send(m)
		f, ok := (<-p.inbox).(*failed)
		if !ok || !strings.Contains(f.Error, want) {
			t.Errorf("got %+v, want %s", f, want)
		}
		if err := p.end(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAgentRefusesGarbage(t *testing.T) {
	p := startAgent(t)
	io.WriteString(p.in, "make me a server\n")
	if err := p.end(t); err == nil || !strings.Contains(err.Error(), `the orchestrator sent "make me a server", which is no message`) {
		t.Errorf("got %v", err)
	}
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
