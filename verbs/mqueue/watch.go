package mqueue

import "fmt"

// Gone is closed when the peer has gone, or this end was closed.
func (e *End) Gone() <-chan struct{} { return e.watched }

// Reason returns why the peer has gone, once Gone is closed.
func (e *End) Reason() error { return *e.gone.Load() }

// watch waits for the end of the side channel, which is the end of the peer. Polls return it.
func (e *End) watch() {
	e.watched = make(chan struct{})
	go func() {
		defer close(e.watched)
		err := fmt.Errorf("the peer is gone: %w", e.channel.AwaitEnd())
		e.gone.Store(&err)
	}()
}

// Ordering says how a control word stays behind its payload.
type Ordering string

// These are the ways.
const (
	LowToHigh Ordering = "low to high" // one WRITE; the devices promise that its last word is last
	Fenced    Ordering = "fenced"      // a READ lies between the two
)

// Facts describe a lane.
type Facts struct {
	Provider string   `json:"provider"`
	Device   string   `json:"device"`
	Emulated bool     `json:"emulated"`
	Answers  Answers  `json:"answers"`
	Ordering Ordering `json:"ordering"`
	Shape
}

// Facts returns what the lane uses.
func (e *End) Facts() Facts {
	info := e.device.Info()
	f := Facts{
		Provider: info.Provider, Device: info.Name, Emulated: info.Emulated,
		Answers: e.answers, Ordering: LowToHigh, Shape: e.shape,
	}
	if e.fenced {
		f.Ordering = Fenced
	}
	return f
}
