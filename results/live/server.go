package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dpukv/results/report"
)

// Options say what is served.
type Options struct {
	Dir     string // the run folder; it need not be there yet
	Version string // of this binary
	Total   int    // points that there will be; 0: not known
}

// Server serves one run folder.
type Server struct {
	folder  *folder
	listen  net.Listener
	http    http.Server
	done    chan error // of http.Serve
	closing sync.Once
	ended   chan struct{} // closed when the last event is to be sent
	last    string        // that event, set before
	closed  error         // what became of it

	watching atomic.Int32 // pages that listen to events
}

// Start serves on an address such as "127.0.0.1:8080"; port 0 is a free one.
func Start(address string, o Options) (*Server, error) {
	listen, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve the report: %w: give an address of this machine with a free port, such as 127.0.0.1:8080", err)
	}
	s := &Server{
		folder: &folder{options: o}, listen: listen,
		done: make(chan error, 1), ended: make(chan struct{}),
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collector{s.folder})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /data.json", s.data)
	mux.HandleFunc("GET /events", s.events)
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}))
	s.http = http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { s.done <- s.http.Serve(listen) }()
	return s, nil
}

// URL is where the page is.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() + "/" }

// Loopback reports whether only this machine can look.
func (s *Server) Loopback() bool {
	addr, ok := s.listen.Addr().(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

const (
	closePatience = 2 * time.Second        // for requests that are being answered
	lastLook      = 500 * time.Millisecond // for pages that were told of the end to ask for the last points
)

// Close tells the pages that are open how it ended, and ends the server. It does so once.
func (s *Server) Close(ending string) error {
	s.closing.Do(func() {
		s.last = ending
		watched := s.watching.Load() > 0
		close(s.ended)
		if watched {
			time.Sleep(lastLook)
		}
		ctx, cancel := context.WithTimeout(context.Background(), closePatience)
		defer cancel()
		if s.closed = s.http.Shutdown(ctx); s.closed != nil {
			s.closed = errors.Join(s.closed, s.http.Close())
		}
		if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
			s.closed = errors.Join(s.closed, served)
		}
	})
	return s.closed
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, "text/html; charset=utf-8", func(m *report.Model) error { return m.Write(w, true) })
}

func (s *Server) data(w http.ResponseWriter, _ *http.Request) {
	s.answer(w, "application/json", func(m *report.Model) error { return m.WriteData(w) })
}

func (s *Server) answer(w http.ResponseWriter, kind string, write func(*report.Model) error) {
	m, err := s.folder.model()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_ = write(m) // whoever asked is gone: nobody to tell
}
