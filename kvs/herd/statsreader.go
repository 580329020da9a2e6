package herd

import "time"

// statsReader asks the workers for their counters on behalf of clients. Questions that come while
// it does are answered together, from the next look: so a look never begins before the question.
type statsReader struct {
	turn  chan struct{} // whoever has put something in may look
	began time.Time
	frame []byte // the answer
	err   error
}

func newStatsReader() *statsReader { return &statsReader{turn: make(chan struct{}, 1)} }

// read is the counters as they are after the question, as a frame.
func (g *statsReader) read(s *Server) ([]byte, error) {
	asked := time.Now()
	g.turn <- struct{}{}
	defer func() { <-g.turn }()
	if !g.began.Before(asked) {
		return g.frame, g.err
	}
	if wait := time.Until(g.began.Add(statsInterval)); wait > 0 && !s.cfg.unthrottled {
		time.Sleep(wait)
	}
	g.began = time.Now()
	stats, err := s.Stats()
	if err == nil {
		g.frame, err = makeFrame(kindStats, stats)
	}
	g.err = err
	return g.frame, err
}
