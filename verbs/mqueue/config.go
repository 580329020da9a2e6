package mqueue

import (
	"fmt"
	"math/bits"
	"time"

	"dpukv/verbs"
)

// These are the limits of a shape.
const (
	MaxSlots     = 4096
	MaxSlotBytes = 1 << 20
	maxArray     = 256 << 20 // bytes of the slots of one direction
)

// DefaultTimeout is the time limit of each step while two ends connect.
const DefaultTimeout = 10 * time.Second

// Shape is the number of slots of each direction, and the size of the largest message.
type Shape struct {
	Slots     int `json:"slots"` // a power of two
	SlotBytes int `json:"slot_bytes"`
}

// Check returns an error for a shape that no lane can have.
func (s Shape) Check() error {
	switch {
	case s.Slots < 1 || s.Slots > MaxSlots || bits.OnesCount(uint(s.Slots)) != 1:
		return fmt.Errorf("slots of a lane: found %d, allowed: powers of two from 1 to %d",
			s.Slots, MaxSlots)
	case s.SlotBytes < 1 || s.SlotBytes > MaxSlotBytes:
		return fmt.Errorf("bytes of a slot of a lane: found %d, allowed: 1 to %d", s.SlotBytes,
			MaxSlotBytes)
	case s.Slots*s.stride() > maxArray:
		return fmt.Errorf("slots of a lane: found %d of %d bytes, allowed: %d bytes in all; "+
			"lower one of the two", s.Slots, s.SlotBytes, maxArray)
	}
	return nil
}

// Bytes returns the memory that an end needs for a lane.
func (s Shape) Bytes() int { return s.layout().regions }

// Answers says how messages of the owner leave.
type Answers string

// These are the ways.
const (
	Read    Answers = "read"  // the mover fetches them
	Written Answers = "write" // the owner writes them into the mover's memory
)

// Check returns an error for a way that does not exist.
func (a Answers) Check() error {
	if a != Read && a != Written {
		return fmt.Errorf("answers of a lane: found %q, allowed: %s, %s",
			verbs.Printable(string(a)), Read, Written)
	}
	return nil
}

// Config configures a lane. The owner decides.
type Config struct {
	Shape
	Answers Answers      // "": Read
	Device  verbs.Device // of the owner
	Timeout time.Duration
}

func (c *Config) check() error {
	if c.Answers == "" {
		c.Answers = Read
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if err := c.Shape.Check(); err != nil {
		return err
	}
	return c.Answers.Check()
}
