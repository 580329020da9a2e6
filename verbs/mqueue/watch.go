package mqueue

import (
	"errors"
	"fmt"
	"io"

	"dpukv/verbs"
)

// Gone is closed when the peer has ended, or this end was closed.
func (e *End) Gone() <-chan struct{} { return e.watched }

// Reason returns why the peer has ended, once Gone is closed.
func (e *End) Reason() error { return *e.gone.Load() }

// watch waits for the peer's end: it closes the channel, and says why before if there is a reason.
func (e *End) watch() {
	defer close(e.watched)
	var last farewell
	err := e.channel.Watch(&last)
	switch {
	case err == nil:
		err = fmt.Errorf("the peer of a lane says: %s", verbs.Printable(last.Error))
	case errors.Is(err, io.EOF):
		err = errors.New("the peer of a lane has ended")
	default:
		err = fmt.Errorf("the peer of a lane is lost: %w", err)
	}
	e.gone.Store(&err)
}
