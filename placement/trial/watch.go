package trial

import (
	"context"
	"time"

	"dpukv/placement/node"
	"dpukv/placement/process"
)

// watch ends the context when a member that serves ends, with the reason.
func (g *group) watch(
	ctx context.Context, task func(process.Role) string,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	for _, m := range g.serving() {
		go m.endsWith(ctx, cancel, task(m.place.Role))
	}
	return ctx, func() { cancel(nil) }
}

// endsWith ends a context with the member.
func (m *member) endsWith(ctx context.Context, cancel context.CancelCauseFunc, task string) {
	select {
	case <-m.Ended:
		cancel(m.ExitReason(task))
	case <-ctx.Done():
	}
}

// aliveTimeout bounds the question whether what serves is alive.
const aliveTimeout = 5 * time.Second

// rootCause prefers the end of what serves over a client's view of it ("connection reset"), which
// often comes first. Each process that serves answers, or it is about to end: then rootCause waits
// for that, which ends the context.
func (t *trial) rootCause(serving context.Context, err error) error {
	ctx, cancel := context.WithTimeout(serving, aliveTimeout)
	defer cancel()
	silent := each(ctx, t.all.serving(), func(ctx context.Context, i int) error {
		_, err := t.count(ctx, t.all.serving()[i])
		return err
	})
	if silent != nil {
		<-ctx.Done()
	}
	if serving.Err() != nil {
		return context.Cause(serving)
	}
	return err
}

// count asks a process for its traffic and threads so far. While the clients wait for go or
// release, everything sent has arrived.
func (t *trial) count(ctx context.Context, m *member) (*counts, error) {
	task := "count what it moved"
	if m.place.Role == process.Neighbour {
		task = t.neighbourTask()
	}
	m.Send(&node.Count{})
	c, err := node.Expect[*node.Counted](ctx, m.Process, t.b.Timeouts.Result, task)
	return &counts{c, time.Now()}, err
}
