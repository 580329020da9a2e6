package trial

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dpukv/internal/numfmt"
	"dpukv/placement/node"
	"dpukv/placement/sweep"
	"dpukv/results"
)

// Limits of the differences between clients that ran together.
const (
	// of the measurement period, between their begins: a warning from here on
	skewWarning = 0.05
	skewLimit   = 0.5 // of the measurement period: from here on they had no time in common
	// between a node's clock and this one, for the begin of a measurement period
	clockLimit = time.Second
)

// merge makes one result of all clients' shares.
func merge(shares []share, told time.Time, pt *sweep.Point) (*node.Result, error) {
	var skew results.Warnings
	if len(shares) > 1 {
		var err error
		if skew, err = together(shares, told, pt); err != nil {
			return nil, err
		}
	}
	var clients []results.Client
	for i := range shares {
		s := &shares[i]
		clients = append(clients, results.Client{
			Node: resultNode(s.place.Node), Kernel: s.place.Kernel,
			Point: &s.res.Point, Hlog: s.res.Hlog,
		})
	}
	p, hlog, err := results.Combine(clients)
	if err != nil {
		return nil, err
	}
	p.Warnings = slices.Concat(skew, p.Warnings)
	return &node.Result{Point: *p, Hlog: hlog}, nil
}

// together compares the measurement periods, by this machine's clock at the clients' begin
// messages. It checks the nodes' own clocks only for gross errors, less their offset at hello.
func together(shares []share, told time.Time, pt *sweep.Point) (results.Warnings, error) {
	begun := make([]time.Time, len(shares))
	for i := range shares {
		s := &shares[i]
		begun[i] = s.began
		ahead := s.hello.Machine.ReadAt.Sub(s.hello.Heard)
		due := told.Add(pt.Warmup)
		limit := clockLimit + time.Duration(pt.ClientThreads)*time.Millisecond
		if off := s.res.Point.StartedAt.Add(-ahead).Sub(due); off.Abs() > limit {
			return nil, fmt.Errorf("node %s: its measurement period began %v from when it was "+
				"told to, by its clock: the clock jumps, or the node hangs; look at both",
				s.Process.Node, off.Round(time.Millisecond))
		}
	}
	skew := slices.MaxFunc(begun, time.Time.Compare).Sub(slices.MinFunc(begun, time.Time.Compare))
	share := float64(skew) / float64(shortest(shares))
	switch text := fmt.Sprintf("the clients began %s apart, %.0f %% of the measurement period",
		numfmt.Duration(skew), 100*share); {
	case share >= skewLimit:
		return nil, fmt.Errorf("%s: they measured at no time together; measure for longer", text)
	case share >= skewWarning:
		return results.Warnings{results.ClientsApart.Warn("%s", text)}, nil
	}
	return nil, nil
}

// shortest returns the length of the shortest measurement period. The periods differ where each
// client measures a number of requests.
func shortest(shares []share) time.Duration {
	least := shares[0].res.Point.DurationNs
	for i := range shares {
		least = min(least, shares[i].res.Point.DurationNs)
	}
	return time.Duration(least)
}

// share is one client's work.
type share struct {
	*member
	res   *node.Result
	began time.Time // by this machine's clock
	begun bool      // it has told so
}

// collect lets a client that has measured close its connections, and takes its result.
func (s *share) collect(ctx context.Context, timeout time.Duration) (err error) {
	s.Send(&node.Release{})
	s.res, err = node.Expect[*node.Result](ctx, s.Process, timeout, "tell its result")
	if err == nil && s.res.Point.Status != results.StatusOK {
		err = fmt.Errorf("node %s: %s", s.Process.Node, s.res.Point.Error)
	}
	return err
}
