package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"dpukv/results"
	"dpukv/results/report"
)

// Options select what is served.
type Options struct {
	Dir     string // the run folder; it need not be there yet
	Version string // of this binary
	Total   int    // points that there will be; 0: not known
	// Metric and Bound are what the page shows first, as in [report.Options].
	Metric *results.Metric
	Bound  *results.Bound
}

// Server serves one run folder.
type Server struct {
	folder  *folder
	listen  *limited
	http    http.Server
	done    chan error // of http.Serve
	closing sync.Once
	ended   chan struct{} // closed when the last event is to be sent
	last    string        // that event, set before
	closed  error         // what became of it

	looked      chan struct{} // a page asked for the points after the end
	watching    atomic.Int32  // pages that listen to events
	readTimeout time.Duration // for a reader to take the next piece
}

// Start serves on an address such as "127.0.0.1:8080"; port 0 means a free one.
func Start(address string, o Options) (*Server, error) {
	listen, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve the report: %w: give an address of this machine with a "+
			"free port, such as 127.0.0.1:8080", err)
	}
	return serve(listen, hostsOf(address), o, readTimeout), nil
}

// serve begins to serve. Within patience a reader must take the next piece of an answer.
func serve(listen net.Listener, names hosts, o Options, patience time.Duration) *Server {
	s := &Server{
		folder: &folder{options: o}, listen: limit(listen, maxConnections),
		done: make(chan error, 1), ended: make(chan struct{}), readTimeout: patience,
		looked: make(chan struct{}, maxWatchers),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /data.json", s.data)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /metrics", s.metrics)
	s.http = http.Server{
		Handler:           names.only(mux),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout,
		WriteTimeout: patience, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
	}
	go func() { s.done <- s.http.Serve(s.listen) }()
	return s
}

// URL is the address of the page.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() + "/" }

// Loopback reports whether only this machine can reach the server.
func (s *Server) Loopback() bool {
	addr, ok := s.listen.Addr().(*net.TCPAddr)
	return ok && addr.IP.IsLoopback()
}

const (
	closeTimeout = 2 * time.Second // for requests that are being answered
	// for pages that were told of the end to ask for the last points: a browser under load is slow,
	// and a reader of events that is no page never asks
	lastLook = 5 * time.Second
)

// Close tells the open pages how the sweep ended, and ends the server. It does so once.
func (s *Server) Close(ending string) error {
	s.closing.Do(func() {
		s.last = ending
		watched := s.watching.Load()
		close(s.ended)
		s.awaitLooks(watched)
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
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

// awaitLooks waits until as many pages as watched have asked for the last points.
func (s *Server) awaitLooks(watched int32) {
	enough := time.After(lastLook)
	for range min(watched, maxWatchers) {
		select {
		case <-s.looked:
		case <-enough:
			return
		}
	}
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	live := func(m *report.Model, to io.Writer) error { return m.Write(to, true) }
	s.answer(w, &s.folder.page, "text/html; charset=utf-8", live)
}

func (s *Server) data(w http.ResponseWriter, _ *http.Request) {
	select {
	case <-s.ended:
		defer s.look()
	default:
	}
	s.answer(w, &s.folder.data, "application/json", (*report.Model).WriteData)
}

func (s *Server) look() {
	select {
	case s.looked <- struct{}{}:
	default: // more pages than Close waits for
	}
}

func (s *Server) answer(w http.ResponseWriter, as *rendering, kind string,
	write func(*report.Model, io.Writer) error,
) {
	m, err := s.folder.model()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	body, err := as.of(m, func(to io.Writer) error { return write(m, to) })
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.send(w, kind, body)
}

// metrics answers even before the run folder exists: with the expected number of points.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	m, _ := s.folder.model()
	body, err := s.folder.metrics.of(m, collector{s.folder}.write)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.send(w, string(metricsFormat), body)
}

// send writes a shared answer piece by piece. The reader has a time limit for each piece.
func (s *Server) send(w http.ResponseWriter, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	out := http.NewResponseController(w)
	for piece := range slices.Chunk(body, pieceBytes) {
		_ = out.SetWriteDeadline(time.Now().Add(s.readTimeout)) // not every connection has one
		if _, err := w.Write(piece); err != nil {
			return // the client is gone or does not read: the error has no receiver
		}
	}
}
