package node

import (
	"context"
	"errors"

	"dpukv/internal/cpu"
	"dpukv/placement/neighbour"
)

// workBeside works beside a store until the order to stop. Its first count says that it is at work.
func (a *agent) workBeside(ctx context.Context, cpus []int, s *NeighbourSpec) (err error) {
	if err := cpu.Prepare(cpus, len(cpus)); err != nil {
		return err
	}
	n, err := neighbour.Start(s.Kind, cpus)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Stop()) }()
	count := func() *Counted {
		done := n.Count()
		return &Counted{Neighbour: &done}
	}
	if err := a.out.Send(count()); err != nil {
		return err
	}
	return a.answerCounts(ctx, nil, count)
}
