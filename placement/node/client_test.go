package node

import (
	"context"
	"errors"
	"io"
	"testing"
)

// TestCoolDownOrders: a client that ended its load by itself takes the late order for it, and not
// for the next one.
func TestCoolDownOrders(t *testing.T) {
	inTime, late := errors.New("told in time"), errors.New("too late")
	for _, cause := range []error{inTime, late} {
		a := &agent{out: MessageWriter{W: io.Discard}, inbox: make(chan Message, 2)}
		ctx, cancel := context.WithCancelCause(t.Context())
		c := coolDown{agent: a, several: true}
		if cause == inTime {
			a.inbox <- &EndLoad{}
		} else {
			cancel(cause)
		}
		if err := c.hook()(ctx); (cause == late) != errors.Is(err, late) || c.pending != (cause == late) {
			t.Errorf("%v: got %v, an order pending: %v", cause, err, c.pending)
		}
		if cause == late {
			a.inbox <- &EndLoad{}
		}
		a.inbox <- &Release{}
		if err := c.finish(t.Context()); err != nil {
			t.Errorf("%v: got %v", cause, err)
		}
		if _, err := await[*Release](t.Context(), a); err != nil {
			t.Errorf("%v: got %v", cause, err)
		}
		cancel(nil)
	}
	if alone := (&coolDown{}).hook(); alone != nil {
		t.Error("a client alone has a cool-down")
	}
}
