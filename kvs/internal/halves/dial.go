package halves

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"dpukv/kvs"
	"dpukv/verbs"
	"dpukv/verbs/mqueue"
	"dpukv/verbs/sidechannel"
)

const (
	dialTimeout = 5 * time.Second
	maxAnswer   = 1 << 20 // of counters: a few hundred bytes for each of many workers
)

// dial connects, and asks.
func dial(addr string, a Ask) (*sidechannel.Channel, error) {
	c, err := net.DialTimeout("tcp", addr, dialTimeout)
	if err != nil {
		return nil, err
	}
	ch := sidechannel.New(c)
	ch.SetTimeout(dialTimeout)
	ch.SetLimit(maxAnswer)
	a.Version = version
	if err := ch.Send(a); err != nil {
		return nil, errors.Join(err, ch.Close())
	}
	return ch, nil
}

// answer receives a value, or the reason of a refusal.
func answer(ch *sidechannel.Channel, v any) error {
	var text json.RawMessage
	if err := ch.Receive(&text); err != nil {
		return err
	}
	var r Refusal
	if err := json.Unmarshal(text, &r); err == nil && r.Error != "" {
		return fmt.Errorf("it says: %s", verbs.Printable(r.Error))
	}
	return json.Unmarshal(text, v)
}

// AskFacts asks a half for its facts.
func AskFacts(addr string) (f kvs.Facts, err error) {
	if err = ask(addr, Facts, &f); err == nil {
		err = f.Check()
	}
	return f, err
}

// AskStats asks a half for its counters.
func AskStats(addr string) (s kvs.Stats, err error) {
	err = ask(addr, Stats, &s)
	return s, err
}

// ask asks once. Each ask has a connection of its own, so none waits open between two asks.
func ask(addr string, want Want, v any) error {
	ch, err := dial(addr, Ask{Want: want})
	if err == nil {
		err = errors.Join(answer(ch, v), ch.Close())
	}
	if err != nil {
		return fmt.Errorf("ask %s for its %s: %w", addr, want, err)
	}
	return nil
}

// Join makes a mover's end of a lane with the half at an address.
func Join(addr string, a Ask, dev verbs.Device) (*mqueue.End, error) {
	a.Want = Lane
	ch, err := dial(addr, a)
	if err != nil {
		return nil, err
	}
	if err := answer(ch, &Refusal{}); err != nil {
		return nil, errors.Join(fmt.Errorf("ask %s for a lane: %w", addr, err), ch.Close())
	}
	e, err := mqueue.Accept(ch, dev, mqueue.Anything)
	if err != nil {
		return nil, fmt.Errorf("with %s: %w", addr, err)
	}
	return e, nil
}
