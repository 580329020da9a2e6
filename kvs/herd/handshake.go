package herd

import (
	"errors"
	"fmt"

	"dpukv/kvs"
	"dpukv/verbs"
)

// The bodies of the side channel's frames. A client says hello and is welcomed; if
// it wants slots it joins and is seated; if it wants counters it asks.
type (
	hello   struct{}
	welcome struct {
		Facts     kvs.Facts       `json:"facts"`
		LinkLayer verbs.LinkLayer `json:"link_layer"`
		Window    int             `json:"window"`     // requests in flight at one worker
		SlotBytes int             `json:"slot_bytes"` // of a request's slot
		MaxValue  int             `json:"max_value_bytes"`
	}
	// join asks for slots at each worker.
	join struct {
		Slots int        `json:"slots"` // a power of two
		Links []endpoint `json:"links"` // one a worker
	}
	// seat are a client's slots, all workers' in a row, and who answers.
	seat struct {
		Region verbs.Region `json:"region"`
		Links  []endpoint   `json:"links"`
	}
	failure struct {
		Error string `json:"error"`
	}
)

// endpoint is one end of a link: the queue pair for requests and the one for answers.
type endpoint struct {
	UC verbs.Endpoint `json:"uc"`
	UD verbs.Endpoint `json:"ud"`
}

// checkEnds looks at both queue pairs of a link before the first byte.
func checkEnds(local, peer endpoint) error {
	return errors.Join(verbs.Check(local.UC, peer.UC), verbs.Check(local.UD, peer.UD))
}

// check refuses a welcome that a session could not work with.
func (w *welcome) check() error {
	f := &w.Facts
	if f.Workers < 1 || f.Workers > maxWorkers || f.Partitions != f.Workers || w.Window < 1 || w.Window > maxWindow ||
		w.SlotBytes < MinSlotBytes || w.SlotBytes > MaxSlotBytes || w.SlotBytes%wordBytes != 0 || w.MaxValue < 0 {
		return fmt.Errorf("the server's handshake makes no sense: %d workers, %d partitions, a window of %d, slots of %d bytes, values of %d",
			f.Workers, f.Partitions, w.Window, w.SlotBytes, w.MaxValue)
	}
	return nil
}

// check refuses a request for slots that the server does not have.
func (j *join) check(workers, window int) error {
	switch {
	case len(j.Links) != workers:
		return fmt.Errorf("queue pairs for %d workers: there are %d", len(j.Links), workers)
	case j.Slots < 1 || j.Slots > powerOfTwo(window) || j.Slots&(j.Slots-1) != 0:
		return fmt.Errorf("%d slots: want a power of two up to %d", j.Slots, powerOfTwo(window))
	}
	return nil
}

// check refuses a seat that is not what was asked for.
func (s *seat) check(workers, bytes int) error {
	if len(s.Links) != workers || s.Region.Length < bytes {
		return fmt.Errorf("the server's seat makes no sense: %d workers of %d, a region of %d bytes of %d",
			len(s.Links), workers, s.Region.Length, bytes)
	}
	return nil
}
