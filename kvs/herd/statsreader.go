package herd

import "time"

// statsReader asks the workers for their counters on behalf of clients. Questions that come
// meanwhile share the next round, so that a round never begins before its questions.
type statsReader struct {
	turn  chan struct{} // a goroutine that has put something in may ask the workers
	began time.Time
	frame []byte // the answer
	err   error
}

// read returns a frame with the counters, as they are after the question.
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
