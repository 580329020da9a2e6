package client

import (
	"math"
	"testing"
	"time"

	"dpukv/results"
)

// TestStages checks where a delay counts. A delay that the server reports is the server's. The same
// delay on the path is in the rest.
func TestStages(t *testing.T) {
	const delay = 2 * time.Millisecond
	for name, c := range map[string]struct {
		residence time.Duration // of the delay
		rate      float64
	}{
		"in the server":              {delay, 0},
		"half in the server":         {delay / 2, 0},
		"almost all on the path":     {time.Microsecond, 0},
		"in the server, open loop":   {delay, 20_000},
		"the server reports no time": {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFakeRemote()
			leakFree(t, r)
			r.latency, r.residence = delay, c.residence
			cfg := smallLoad(t)
			cfg.RateOps = c.rate
			p := mustRun(t, r, cfg).Point
			s := p.Stages
			if c.residence == 0 {
				if s != (results.Stages{}) {
					t.Errorf("found %+v of a server that reports no time", s)
				}
				return
			}
			if s.ServerResidenceNs != float64(c.residence) || s.ClientQueueNs != fakeQueueNs {
				t.Errorf("found %+v, want a residence of %v and a queue of %d ns", s, c.residence, fakeQueueNs)
			}
			// The fake's clients get an answer a whole delay after the send, or later.
			if least := float64(delay-c.residence) - fakeQueueNs - 0.01*float64(delay); s.RestNs < least {
				t.Errorf("the rest is %v ns, want at least %v", s.RestNs, least)
			}
			if s.BeforeSendNs < 0 || c.rate == 0 && s.BeforeSendNs != 0 {
				t.Errorf("before the send: %v ns", s.BeforeSendNs)
			}
			sum := s.BeforeSendNs + s.ClientQueueNs + s.ServerResidenceNs + s.RestNs
			if math.Abs(sum-p.MeanNs) > 1 {
				t.Errorf("the stages add up to %v, the mean latency is %v", sum, p.MeanNs)
			}
		})
	}
}
