package perf

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"dpukv/verbs"
	"dpukv/verbs/sidechannel"
)

// Kind is the kind of a measurement.
type Kind string

// These are the kinds.
const (
	Latency   Kind = "lat"
	Bandwidth Kind = "bw"
)

// Op is the measured operation.
type Op string

// These are the operations.
const (
	Write Op = "write"
	Read  Op = "read"
	Send  Op = "send"
)

// ParseOp parses an operation's name.
func ParseOp(s string) (Op, error) {
	if op := Op(s); slices.Contains([]Op{Write, Read, Send}, op) {
		return op, nil
	}
	return "", fmt.Errorf("operation: found %q, allowed: write, read, send", s)
}

// ParseConnection parses a transport service's name.
func ParseConnection(s string) (verbs.QPType, error) {
	for _, t := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		if s == t.String() {
			return t, nil
		}
	}
	return 0, fmt.Errorf("connection: found %q, allowed: RC, UC, UD", s)
}

// MaxBytes is the size of the largest message.
const MaxBytes = 8 << 20

// DefaultPort is perftest's port for the side channel.
const DefaultPort = 18515

// Config defines a measurement.
type Config struct {
	Kind       Kind
	Op         Op
	Connection verbs.QPType
	// Sizes are message sizes in bytes. Each is one point.
	Sizes []int
	// Iters is the number of messages per point and QP, unless Duration is given.
	Iters    int
	Duration time.Duration
	// Warmup is the time of each point before its measurement.
	Warmup time.Duration
	// QPs is the number of concurrent QPs of a bandwidth test.
	QPs int
	// TxDepth and RxDepth are the outstanding sends and receives per QP.
	TxDepth, RxDepth int
	// PostList is the number of work requests per post. One in CQMod requests a completion.
	PostList, CQMod int
	// Inline is the largest message that is sent inline. AutoInline leaves it to the device.
	Inline int
}

// AutoInline chooses perftest's values if the device supports them: 220 bytes for latency, nothing
// for bandwidth.
const AutoInline = -1

// Defaults returns perftest's defaults.
func Defaults(kind Kind) Config {
	c := Config{
		Kind: kind, Op: Write, Connection: verbs.RC, Sizes: []int{2}, Iters: 1000,
		QPs: 1, TxDepth: 128, RxDepth: 512, PostList: 1, CQMod: 1, Inline: AutoInline,
	}
	if kind == Bandwidth {
		c.Sizes, c.Iters, c.CQMod = []int{64 << 10}, 5000, 100
	}
	return c
}

// AllSizes returns the powers of two from 2 bytes to 8 MB or, for datagrams, to the MTU.
func AllSizes() (sizes []int) {
	for n := 2; n <= MaxBytes; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// Check refuses a measurement that no device supports.
func (c *Config) Check() error {
	switch {
	case c.Kind != Latency && c.Kind != Bandwidth:
		return fmt.Errorf("measurement: found %q, allowed: lat, bw", c.Kind)
	case c.Op != Write && c.Op != Read && c.Op != Send:
		return fmt.Errorf("operation: found %q, allowed: write, read, send", c.Op)
	case c.Connection == verbs.UD && c.Op != Send:
		return fmt.Errorf("operation: found %s over UD, allowed: send; use RC, or UC for a "+
			"write: %w",
			c.Op, verbs.ErrNotSupported)
	case c.Connection == verbs.UC && c.Op == Read:
		return fmt.Errorf("operation: found read over UC, allowed: over RC: "+
			"%w", verbs.ErrNotSupported)
	case c.Kind == Latency && c.QPs != 1:
		return fmt.Errorf("QPs: found %d for latency, allowed: 1", c.QPs)
	}
	if err := errors.Join(c.checkNumbers(), c.checkSizes()); err != nil {
		return err
	}
	if n := c.memory(); n > MaxMemory {
		return fmt.Errorf("memory: messages of %d bytes over %d QPs with depths of %d and %d "+
			"need about %d MiB, allowed: %d MiB at each end; take fewer QPs, smaller messages or "+
			"shorter queues",
			c.largest(), c.QPs, c.TxDepth, c.RxDepth, n>>20, MaxMemory>>20)
	}
	return nil
}

// MaxMemory is the most memory of one end of a run: the client chooses the measurement, and is not
// authenticated.
const MaxMemory = 4 << 30

// memory estimates an end's memory in bytes: message buffers, and queues with a device's state per
// entry.
func (c *Config) memory() int {
	const sendEntry, receiveEntry = 256, 160
	sends, receives := c.TxDepth*(sendEntry+max(c.Inline, 0)), c.RxDepth*receiveEntry
	return c.QPs * (2*(c.largest()+verbs.GRHBytes) + sends + receives)
}

// valueLimit is the longest value that the peer may send after the hello: an introduction for each
// queue pair.
func (c *Config) valueLimit() int { return sidechannel.DefaultLimit + c.QPs<<10 }

// pointTimeout is how long the other end may take for a point. It is the configured duration, or
// else a millisecond per message and a microsecond per byte, at most a day. answerTimeout comes on
// top.
func (c *Config) pointTimeout(bytes int) time.Duration {
	const day = 24 * time.Hour
	if c.Duration > 0 {
		return min(c.Duration, math.MaxInt64-stepTimeout-c.Warmup) + c.Warmup + stepTimeout
	}
	each := float64(time.Millisecond) + float64(bytes)*float64(time.Microsecond)
	return time.Duration(min(float64(c.Iters)*float64(c.QPs)*each, float64(day))) + c.Warmup +
		stepTimeout
}

// maxWarmup is the longest warm-up.
const maxWarmup = 24 * time.Hour

func (c *Config) checkNumbers() error {
	const most = 1 << 20
	for _, n := range []struct {
		name           string
		is, least, top int
	}{
		{"iterations", c.Iters, 1, 1 << 40},
		{"QPs", c.QPs, 1, 1024},
		{"TX depth", c.TxDepth, 1, most},
		{"RX depth", c.RxDepth, 1, most},
		{"post list", c.PostList, 1, c.TxDepth},
		{"CQ moderation", c.CQMod, 1, c.TxDepth},
		{"inline bytes", c.Inline, AutoInline, most},
	} {
		if n.is < n.least || n.is > n.top {
			return fmt.Errorf("%s: found %d, allowed: %d to %d", n.name, n.is, n.least, n.top)
		}
	}
	if c.Duration < 0 {
		return fmt.Errorf("duration: found %v, allowed: 0 or more", c.Duration)
	}
	if c.Warmup < 0 || c.Warmup > maxWarmup {
		return fmt.Errorf("warm-up: found %v, allowed: 0 to %v", c.Warmup, maxWarmup)
	}
	return nil
}

func (c *Config) checkSizes() error {
	const most = 1000
	if len(c.Sizes) == 0 {
		return errors.New("message sizes: found none, allowed: one or more")
	}
	if len(c.Sizes) > most {
		return fmt.Errorf("message sizes: found %d, allowed: at most %d", len(c.Sizes), most)
	}
	for _, n := range c.Sizes {
		if n < 1 || n > MaxBytes {
			return fmt.Errorf("message size: found %d bytes, allowed: 1 to %d", n, MaxBytes)
		}
	}
	return nil
}

// fit adapts the sizes to a port: datagrams end at its MTU.
func (c *Config) fit(p *verbs.Port) error {
	if c.Inline == AutoInline {
		c.Inline = 0
		if c.Kind == Latency {
			c.Inline = min(220, p.MaxInline)
		}
	}
	if c.Inline > p.MaxInline {
		return fmt.Errorf("inline bytes: found %d, allowed by the device: "+
			"%d", c.Inline, p.MaxInline)
	}
	if c.Connection != verbs.UD {
		return nil
	}
	if len(c.Sizes) == 1 && c.Sizes[0] > p.MTU {
		return fmt.Errorf("datagram: found %d bytes, allowed by the MTU: %d", c.Sizes[0], p.MTU)
	}
	c.Sizes = slices.DeleteFunc(slices.Clone(c.Sizes), func(n int) bool { return n > p.MTU })
	return nil
}

func (c *Config) largest() int { return slices.Max(c.Sizes) }
