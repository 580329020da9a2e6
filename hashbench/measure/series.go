package measure

import (
	"time"

	"dpukv/internal/cpu"
)

// series is one contender in one case, or a loop's own cost.
type series struct {
	*Contender
	in    *Input
	calls int // a round
	ns    []float64
	spent spent
}

// spent is the time of rounds: that of the thread, and how long they took.
type spent struct{ cpuNs, wallNs int64 }

// calibrate finds the number of calls that fill a round, and warms up meanwhile.
func (s *series) calibrate(round time.Duration) error {
	for s.calls = 1; ; s.calls *= 2 {
		ns, err := s.Round(s.in, s.calls)
		if err != nil {
			return err
		}
		if ns < int64(round)/8 && s.calls < 1<<30 {
			continue
		}
		s.calls = max(1, int(float64(s.calls)*float64(round)/float64(max(ns, 1))))
		return nil
	}
}

// measure makes one round.
func (s *series) measure() error {
	begin := cpu.NowNs()
	ns, err := s.Round(s.in, s.calls)
	s.spent.cpuNs, s.spent.wallNs = s.spent.cpuNs+ns, s.spent.wallNs+cpu.NowNs()-begin
	s.ns = append(s.ns, float64(ns)/float64(s.calls))
	return err
}

func (s *series) describe() string { return s.Function + ", " + s.in.Case.String() }
