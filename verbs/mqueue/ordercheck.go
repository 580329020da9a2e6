package mqueue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// The check of the order of WRITEs sends so many messages each way, of at most so many bytes.
const (
	checkMessages = 256
	checkBytes    = 16 << 10
)

// checkOrder sends full messages each way before the lane is used. The mover asks. Each end looks
// at a message as soon as its control word is there. What the peer found torn is fenced from then
// on.
func (e *End) checkOrder() error {
	e.asks = !e.owner
	torn, err := e.exchange()
	if err != nil {
		return fmt.Errorf("check of the order of WRITEs: %w", err)
	}
	theirs, err := sidechannel.SwapWith(e.channel, verdict{torn}, e.progress)
	if err != nil {
		return err
	}
	if w, writes := e.out.(*writer); writes {
		w.fenced = theirs.Torn > 0
	}
	e.facts.Fenced = torn > 0 || theirs.Torn > 0
	return nil
}

// exchange sends and receives the messages of the check. It returns the number of those that came
// torn.
func (e *End) exchange() (torn int, err error) {
	end := time.Now().Add(stepTimeout)
	size := min(e.shape.SlotBytes, checkBytes) &^ (wordBytes - 1)
	for e.received < checkMessages || e.sent < checkMessages {
		for e.sent < checkMessages {
			room := e.Slot()
			if room == nil {
				break
			}
			fill(room[:size], e.sent+1)
			if err := e.Send(size, 0); err != nil {
				return torn, err
			}
		}
		moved, err := e.Poll()
		if err != nil {
			return torn, err
		}
		m, there, err := e.Receive()
		switch {
		case err != nil:
			return torn, err
		case there && !filled(m.Bytes, size, e.received):
			torn++
		case !there && !moved:
			if time.Now().After(end) {
				return torn, fmt.Errorf("%d of %d messages came within %v", e.received,
					checkMessages, stepTimeout)
			}
			if err := e.device.Wait(0); err != nil {
				return torn, err
			}
		}
	}
	return torn, e.settle(end)
}

// settle waits for the completions of what was sent.
func (e *End) settle(end time.Time) error {
	for e.posted > 0 {
		if _, err := e.Poll(); err != nil {
			return err
		}
		if time.Now().After(end) {
			return errors.New("the last WRITEs did not complete")
		}
	}
	return nil
}

// stamp is what a word of a message of the check contains.
func stamp(n uint64, at int) uint64 { return n<<32 | uint64(at) | 1<<63 }

func fill(b []byte, n uint64) {
	for at := 0; at < len(b); at += wordBytes {
		binary.NativeEndian.PutUint64(b[at:], stamp(n, at))
	}
}

func filled(b []byte, size int, n uint64) bool {
	if len(b) != size {
		return false
	}
	for at := 0; at < len(b); at += wordBytes {
		if binary.NativeEndian.Uint64(b[at:]) != stamp(n, at) {
			return false
		}
	}
	return true
}

// providers names the providers of both ends, once if they are the same.
func providers(mine, peer verbs.DeviceInfo) string {
	if mine.Provider == peer.Provider {
		return mine.Provider
	}
	return mine.Provider + " to " + verbs.Printable(peer.Provider)
}
