package mqueue

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"dpukv/verbs"
)

// Shape is the size of a lane.
type Shape struct {
	Slots     int `json:"slots"`      // messages without an answer at most: a power of two
	SlotBytes int `json:"slot_bytes"` // of the largest message
}

const (
	maxSlots = 1 << 12
	maxBytes = 1 << 30 // of all slots of a direction
	lineSize = 64
)

// SlotsFor returns the number of slots for so many requests without an answer.
func SlotsFor(requests int) int { return 1 << bits.Len(uint(max(requests, 1)-1)) }

func (s *Shape) check() error {
	switch {
	case s.Slots < 1 || s.Slots > maxSlots || s.Slots&(s.Slots-1) != 0:
		return fmt.Errorf("lane: found %d slots, allowed: a power of two up to %d", s.Slots,
			maxSlots)
	case s.SlotBytes < wordBytes || s.SlotBytes >= 1<<lengthBits ||
		s.Slots*s.stride() > maxBytes:
		return fmt.Errorf("lane: found %d slots of %d bytes, allowed: %d bytes or more, and at "+
			"most %d together", s.Slots, s.SlotBytes, wordBytes, maxBytes)
	}
	return nil
}

// stride is the distance between slots. The control word has room behind the message.
func (s *Shape) stride() int {
	return (padded(s.SlotBytes) + wordBytes + lineSize - 1) &^ (lineSize - 1)
}

// slot returns the offset of a message's slot.
func (s *Shape) slot(n uint64) int { return s.index(n) * s.stride() }

func (s *Shape) index(n uint64) int { return int(n & uint64(s.Slots-1)) }

// bytes is the size of all slots of a direction.
func (s *Shape) bytes() int { return s.Slots * s.stride() }

// Answers is the way of the owner's messages.
type Answers string

// These are the ways.
const (
	Read    Answers = "read"    // the mover fetches them
	Written Answers = "written" // the owner writes them to the mover
)

// ParseAnswers reads a way. "" is Read.
func ParseAnswers(s string) (Answers, error) {
	switch a := Answers(s); a {
	case "":
		return Read, nil
	case Read, Written:
		return a, nil
	}
	return "", fmt.Errorf("answers: found %q, allowed: %s, %s", s, Read, Written)
}

// Config describes a lane to its owner.
type Config struct {
	Shape
	Device  verbs.Device
	Answers Answers // "": Read
	Asks    bool    // the owner asks, and the mover answers
}

func (c *Config) check() error {
	if c.Device == nil {
		return errors.New("lane: found no device")
	}
	var err error
	if c.Answers, err = ParseAnswers(string(c.Answers)); err != nil {
		return err
	}
	return c.Shape.check()
}

// stepTimeout bounds each step of the handshake.
const stepTimeout = 10 * time.Second

// Facts describe a connected lane.
type Facts struct {
	Shape
	Answers  Answers `json:"answers"`
	Provider string  `json:"provider"` // of both devices: "shm", "softroce to ibverbs"
	Emulated bool    `json:"emulated,omitempty"`
	// Fenced tells that a device did not write from low to high addresses, so that messages are
	// fenced.
	Fenced bool `json:"fenced,omitempty"`
}

// Counts count what an end has done.
type Counts struct {
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64 // of messages
	Writes, Reads            uint64 // work requests
}
