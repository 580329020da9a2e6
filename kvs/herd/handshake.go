package herd

import (
	"cmp"
	"errors"
	"fmt"

	"dpukv/kvs"
	"dpukv/kvs/partition"
	"dpukv/verbs"
)

// These are the bodies of the side channel's frames. A client sends a hello and receives a welcome.
// To get slots it sends a join and receives a grant. To get counters it sends an ask.
type (
	hello   struct{}
	welcome struct {
		Facts     kvs.Facts       `json:"facts"`
		LinkLayer verbs.LinkLayer `json:"link_layer"`
		Window    int             `json:"window"`     // requests in flight at one worker
		SlotBytes int             `json:"slot_bytes"` // of a request's slot
		MaxValue  int             `json:"max_value_bytes"`
		// Device is the server's. Its promise decides whether requests have check words.
		Device verbs.DeviceInfo `json:"device"`
	}
	// join asks for slots at each worker.
	join struct {
		Slots int        `json:"slots"` // a power of two
		Links []endpoint `json:"links"` // one per worker
		// InOrder has each worker execute a link's requests in their order, whatever is lost.
		InOrder bool `json:"in_order,omitempty"`
	}
	// slotGrant describes a client's slots, all workers' in a row, and the queue pairs that answer.
	slotGrant struct {
		Region verbs.Region `json:"region"`
		Links  []endpoint   `json:"links"`
	}
	failure struct {
		Error string `json:"error"`
	}
)

// checkSizes refuses keys and values that do not fit a slot, and values that do not fit an answer.
func (w *welcome) checkSizes(op kvs.Op, keyBytes, valueBytes, whole int) error {
	need := requestBytes(keyBytes, valueBytes, whole)
	switch {
	case need > w.SlotBytes:
		return fmt.Errorf("slot: a %s with a key of %d bytes and a value of %d needs %d, the "+
			"server has slots of %d: start it with slots of %d",
			op, keyBytes, valueBytes, need, w.SlotBytes, SlotBytesFor(keyBytes, valueBytes))
	case valueBytes > w.MaxValue:
		return fmt.Errorf("value of a %s: found %d bytes, allowed: at most %d, the size of a "+
			"datagram", op, valueBytes, w.MaxValue)
	}
	return nil
}

// endpoint is one end of a link: a queue pair for requests and one for answers.
type endpoint struct {
	UC verbs.Endpoint `json:"uc"`
	UD verbs.Endpoint `json:"ud"`
}

// checkEnds checks both queue pairs of a link before any traffic.
func checkEnds(local, peer endpoint) error {
	return errors.Join(verbs.Check(local.UC, peer.UC), verbs.Check(local.UD, peer.UD))
}

// check refuses a welcome that a session cannot work with.
func (w *welcome) check() error {
	f := &w.Facts
	if f.Workers < 1 || f.Workers > maxWorkers || f.Partitions != f.Workers || w.Window < 1 ||
		w.Window > maxWindow ||
		w.SlotBytes < MinSlotBytes || w.SlotBytes > MaxSlotBytes || w.SlotBytes%wordBytes != 0 ||
		w.MaxValue < 0 {
		return fmt.Errorf("the server's handshake is invalid: found %d workers, %d partitions, a "+
			"window of %d, slots of %d bytes, values of %d",
			f.Workers, f.Partitions, w.Window, w.SlotBytes, w.MaxValue)
	}
	return cmp.Or(f.Check(), f.CheckStore(partition.EREW.String()))
}

// check refuses a request for more than the server has, or for a peer that it cannot reach, before
// it allocates anything.
func (j *join) check(s *Server) error {
	workers, window := len(s.workers), s.cfg.Window
	switch {
	case len(j.Links) != workers:
		return fmt.Errorf("queue pairs: found them for %d workers, allowed: "+
			"%d", len(j.Links), workers)
	case j.Slots < 1 || j.Slots > powerOfTwo(window) || j.Slots&(j.Slots-1) != 0:
		return fmt.Errorf("slots: found %d, allowed: a power of two up to "+
			"%d", j.Slots, powerOfTwo(window))
	}
	for i, w := range s.workers {
		local, there := w.ud.Local(), j.Links[i].UC.Device
		err := verbs.Need(verbs.Unknown, user, local.Device, there)
		if err = errors.Join(err, checkPeer(local, &j.Links[i])); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return nil
}

// user is what asks for an order of bytes: see [verbs.Need].
const user = "herd"

// checkPeer refuses an impossible client end of a link. local is the worker's UD queue pair.
func checkPeer(local verbs.Endpoint, peer *endpoint) error {
	connected := local
	connected.Type = verbs.UC
	if err := checkEnds(endpoint{connected, local}, *peer); err != nil {
		return err
	}
	uc, ud := &peer.UC, &peer.UD
	if uc.GID != ud.GID || uc.LID != ud.LID || uc.Handle != ud.Handle {
		return fmt.Errorf("queue pairs: found two devices, %s and %s, allowed: one", uc, ud)
	}
	return errors.Join(checkNumbers(uc), checkNumbers(ud), checkAddress(uc))
}

// CheckPeer refuses an impossible client end of an extension's queue pair.
func CheckPeer(local verbs.Endpoint, peer *verbs.Endpoint) error {
	if err := verbs.Check(local, *peer); err != nil {
		return err
	}
	return errors.Join(checkNumbers(peer), checkAddress(peer))
}

// checkNumbers refuses numbers that do not fit a packet's fields, and Q_Keys that only kernels may
// use.
func checkNumbers(e *verbs.Endpoint) error {
	const most = 1<<24 - 1
	long := e.LinkLayer != verbs.LinkMemory && e.QPN > most
	if e.QPN == 0 || long || e.PSN > most || e.QKey>>31 != 0 {
		return fmt.Errorf("queue pair: found QP %#x, PSN %#x, Q_Key %#x; allowed: a QP from 1, a "+
			"PSN up to %#x, a Q_Key of 31 bits",
			e.QPN, e.PSN, e.QKey, most)
	}
	return nil
}

// checkAddress refuses an address that is not a single peer's.
func checkAddress(e *verbs.Endpoint) error {
	const unicastLIDs = 0xbfff
	switch e.LinkLayer {
	case verbs.LinkEthernet:
		a := e.GID.Addr()
		first := a.AsSlice()[0]
		if !e.GID.Unicast() || a.Is4() && (first == 0 || first >= 240) {
			return fmt.Errorf("GID: found %s, allowed: a unicast address", a)
		}
	case verbs.LinkInfiniBand:
		if e.LID == 0 || e.LID > unicastLIDs {
			return fmt.Errorf("LID: found %#x, allowed: 1 to %#x, the unicast ones",
				e.LID, unicastLIDs)
		}
	}
	return nil
}

// check refuses a grant that differs from the request.
func (s *slotGrant) check(workers, bytes int) error {
	if len(s.Links) != workers || s.Region.Length < bytes {
		return fmt.Errorf("the server's grant is invalid: found %d of %d workers, "+
			"and a region of %d of %d bytes",
			len(s.Links), workers, s.Region.Length, bytes)
	}
	return nil
}
