package nasty

import (
	"math/rand/v2"
	"slices"

	"dpukv/verbs"
)

const (
	wordBytes = 8
	lineBytes = 64
)

// Piece is a part of a message that takes effect at once.
type Piece struct{ At, Bytes uint32 }

// Message is a work request on its way.
type Message struct {
	WR     verbs.SendWR
	Pieces []Piece // those without effect so far
	cut    bool    // else it takes effect as a whole, and completes as the device beneath does
	tail   bool    // the last piece waits for all others
	total  int
}

// Flight holds the messages of a queue pair that are on their way, the oldest first. It is a
// function of its draws, so a simulation can repeat it.
type Flight struct {
	config   Config
	rng      *rand.Rand
	messages []*Message
}

// NewFlight makes an empty one, with the draws of rng.
func NewFlight(c Config, rng *rand.Rand) *Flight {
	c.setDefaults()
	return &Flight{config: c, rng: rng}
}

// Add appends a work request.
func (f *Flight) Add(wr verbs.SendWR) *Message {
	m := &Message{WR: wr}
	n := wr.Local.Length
	if m.cut = f.cuts(&wr); !m.cut {
		m.Pieces = []Piece{{0, n}}
	}
	for at := uint32(0); m.cut && at < n; {
		step := min(f.step(wr.Remote+uint64(at), n), n-at)
		m.Pieces = append(m.Pieces, Piece{at, step})
		at += step
	}
	m.tail = f.config.Model == LastWord && wr.Op == verbs.OpWrite
	m.total = len(m.Pieces)
	f.messages = append(f.messages, m)
	return m
}

func (f *Flight) cuts(wr *verbs.SendWR) bool {
	return (wr.Op == verbs.OpWrite || wr.Op == verbs.OpRead) && wr.Local.Length > 1 &&
		f.config.Model != Ordered && (f.config.Rare < 2 || f.rng.IntN(f.config.Rare) == 0)
}

// step is the length of the piece that begins at an address of the peer, of a message of n bytes.
func (f *Flight) step(address uint64, n uint32) uint32 {
	switch f.config.Model {
	case LastWord:
		return uint32(wordBytes - address%wordBytes)
	case PCIe:
		return uint32(lineBytes - address%lineBytes)
	}
	const pieces = 64 // about as many at most
	return 1 + uint32(f.rng.IntN(int(2+2*n/pieces)))
}

// Draw chooses the message and the piece that take effect next.
func (f *Flight) Draw() (m *Message, piece int) {
	mixed := 1
	for mixed < min(f.config.Window, len(f.messages)) && f.messages[mixed-1].writes() &&
		f.messages[mixed].writes() {
		mixed++
	}
	all := slices.DeleteFunc(slices.Clone(f.messages[:mixed]),
		func(m *Message) bool { return len(m.Pieces) == 0 })
	m = all[f.rng.IntN(len(all))]
	return m, f.rng.IntN(m.choices())
}

func (m *Message) writes() bool { return m.cut && m.WR.Op == verbs.OpWrite }

// choices is the number of pieces that may be next.
func (m *Message) choices() int {
	if m.tail && len(m.Pieces) > 1 {
		return len(m.Pieces) - 1
	}
	return len(m.Pieces)
}

// Remove removes a piece of a message. It returns the messages that have thereby taken effect, in
// order.
func (f *Flight) Remove(m *Message, piece int) (whole []*Message) {
	m.Pieces = slices.Delete(m.Pieces, piece, piece+1)
	n := 0
	for n < len(f.messages) && len(f.messages[n].Pieces) == 0 {
		n++
	}
	whole = f.messages[:n]
	f.messages = f.messages[n:]
	return whole
}

// Oldest returns the message that was posted first, or nil.
func (f *Flight) Oldest() *Message {
	if len(f.messages) == 0 {
		return nil
	}
	return f.messages[0]
}

// pauses draws whether the queue pair pauses now, and for how many turns. The more pieces a message
// has, the fewer pauses.
func (f *Flight) pauses(m *Message) int {
	const fewest, longest = 8, 24
	if f.rng.IntN(max(fewest, m.total/2)) > 0 {
		return 0
	}
	return 1 + f.rng.IntN(longest)
}
