package pipetest

import (
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"dpukv/kvs/kvstest"
)

// Proxy forwards connections to a server, and the server's answers through Spoil.
type Proxy struct {
	Addr string

	mu    sync.Mutex
	spoil func(answer []byte) []byte
	piece int // bytes per write; 0: all
}

// NewProxy makes a proxy for the duration of the test.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	p := &Proxy{spoil: func(b []byte) []byte { return b }}
	p.Addr = kvstest.Listen(t, func(c net.Conn) { p.pass(c, server) })
	return p
}

// Spoil changes how answers are modified from now on. An empty result ends the connection.
func (p *Proxy) Spoil(how func(answer []byte) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoil = how
}

// Trickle forwards answers in pieces from now on.
func (p *Proxy) Trickle(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.piece = bytes
}

func (p *Proxy) write(w io.Writer, out []byte) error {
	p.mu.Lock()
	piece := p.piece
	p.mu.Unlock()
	if piece == 0 {
		piece = len(out)
	}
	for part := range slices.Chunk(out, piece) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (p *Proxy) pass(client net.Conn, server string) {
	s, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer s.Close()
	var asked sync.WaitGroup
	asked.Go(func() {
		io.Copy(s, client)
		s.Close() // ends the other copy
	})
	b := make([]byte, 64<<10)
	for {
		n, err := s.Read(b)
		if err != nil {
			break
		}
		p.mu.Lock()
		out := p.spoil(b[:n])
		p.mu.Unlock()
		if len(out) == 0 {
			break
		}
		if err := p.write(client, out); err != nil {
			break
		}
	}
	client.Close()
	asked.Wait()
}
