package live

import (
	"fmt"
	"net/http"
	"time"

	"dpukv/internal/foreign"
)

const (
	lookEvery      = 500 * time.Millisecond // between two looks at the folder
	keepAliveEvery = 15 * time.Second       // a write shows that the peer is gone
)

// events streams until the client leaves or the server ends.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	defer s.watching.Add(-1)
	if s.watching.Add(1) > maxWatchers {
		http.Error(w, "too many pages follow this run: reload to look again",
			http.StatusServiceUnavailable)
		return
	}
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // nothing more is read, and that may take long
	send := func(format string, args ...any) bool {
		_ = out.SetWriteDeadline(time.Now().Add(closeTimeout)) // not every connection has one
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && out.Flush() == nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	seen, said := int64(-1), time.Now()
	for {
		size := s.folder.size()
		ok := true
		switch {
		case size != seen:
			seen, said = size, time.Now()
			ok = send("event: points\ndata: %s\n\n", foreign.Line(s.folder.progress()))
		case time.Since(said) > keepAliveEvery:
			said = time.Now()
			ok = send(":\n\n")
		}
		if !ok {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-s.ended:
			send("event: ended\ndata: %s\n\n", foreign.Line(s.last))
			return
		case <-tick.C:
		}
	}
}
