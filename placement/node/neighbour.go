package node

import (
	"context"
	"errors"
	"fmt"

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
	for {
		done := n.Count()
		if err := a.out.Send(&Counted{Neighbour: &done}); err != nil {
			return err
		}
		select {
		case m := <-a.inbox:
			if _, ok := m.(*Count); !ok {
				return fmt.Errorf("received the message %s instead of count", m.kind())
			}
		case <-ctx.Done():
			return nil
		}
	}
}
