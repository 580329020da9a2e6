package trace

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
)

// Cut is a part of a trace.
type Cut struct {
	// Part of Parts equal parts of the keys, from 0 on. Each key is in one of them, with all its
	// operations. The parts of 0 or 1 are all keys.
	Part, Parts int
	// Sample takes one of so many keys, with all its operations. 0 or 1: all keys.
	Sample int
	// From and To are the first operation and the one after the last, counted in the whole trace.
	// To 0: up to the end.
	From, To uint64
}

const (
	cursorBuffer = 64   // records
	guarded      = 4096 // records that are looked at under one guard
)

// Cursor reads a trace. It is a value: a copy goes on from the same place.
type Cursor struct {
	file          *File
	part, parts   uint64
	sample        uint64
	at, end, keys uint64
	lastNs        int64
	next, read    int
	buffer        [cursorBuffer]packed
	err           error
}

// Cursor begins to read a part of the trace.
func (f *File) Cursor(c Cut) Cursor {
	end := f.header.records
	if c.To > 0 {
		end = min(end, c.To)
	}
	return Cursor{
		file: f, at: c.From, end: end, keys: f.header.summary.Keys,
		part: uint64(max(c.Part, 0)), parts: uint64(max(c.Parts, 1)),
		sample: uint64(max(c.Sample, 1)),
	}
}

// Next reads the next operation. It returns false at the end, or at an error: see [Cursor.Err].
func (c *Cursor) Next(r *Record) bool {
	if c.next == c.read && !c.fill() {
		return false
	}
	c.buffer[c.next&(cursorBuffer-1)].unpack(r)
	c.next++
	return true
}

// Err returns the error at which Next ended, or nil.
func (c *Cursor) Err() error { return c.err }

func (c *Cursor) fill() bool {
	for c.at < c.end && c.err == nil {
		if c.err = c.scan(); c.read > 0 {
			return true
		}
	}
	return false
}

// scan puts the next records of the part into the buffer. It may find none.
func (c *Cursor) scan() (err error) {
	c.next, c.read = 0, 0
	if c.file.data == nil {
		return fmt.Errorf("%s: found it closed", c.file.path)
	}
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			err = c.ofFault(r)
		}
	}()
	end := min(c.end, c.at+guarded)
	records := c.file.data[headerSize+c.at*recordSize : headerSize+end*recordSize]
	keys, lastNs, read := c.keys, c.lastNs, 0
	for ; len(records) > 0 && read < cursorBuffer; records = records[recordSize:] {
		p := &c.buffer[read]
		*p = load(records)
		if fault := p.fault(keys, lastNs); fault != "" {
			err = c.ofRecord(fault, end-uint64(len(records)/recordSize))
			break
		}
		lastNs = int64(p[0])
		if c.has(p.key()) {
			read++
		}
	}
	c.at, c.lastNs, c.read = end-uint64(len(records)/recordSize), lastNs, read
	return err
}

// has reports whether a key is in the sample and in the part. Each has its own hash. The parts of a
// sample are thus equal, too.
func (c *Cursor) has(key uint64) bool {
	return InSample(key, c.sample) && (c.parts == 1 || share(mix(key^partSalt), c.parts) == c.part)
}

// InSample reports whether a key is in the sample of one of so many keys.
func InSample(key, of uint64) bool { return of <= 1 || share(mix(key^sampleSalt), of) == 0 }

const (
	partSalt   = 0x9e3779b97f4a7c15
	sampleSalt = 0xd6e8feb86659fd93
)

// share maps a random word to [0, n).
func share(x, n uint64) uint64 {
	high, _ := bits.Mul64(x, n)
	return high
}

// mix is the finalizer of SplitMix64, a bijection.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ofFault is the error behind the panic of an access that memory refused. Any other panic goes on.
// An emulator of processors may tell no address.
func (c *Cursor) ofFault(r any) error {
	fault, ok := r.(runtime.Error)
	if !ok {
		panic(r)
	}
	if err := c.shrunk(); err != nil {
		return err
	}
	if _, ok := r.(interface{ Addr() uintptr }); !ok {
		panic(r)
	}
	return fmt.Errorf("%s: from operation %d on: cannot read it: %w", c.file.path, c.at, fault)
}

func (c *Cursor) ofRecord(fault string, at uint64) error {
	if err := c.shrunk(); err != nil {
		return err
	}
	return fmt.Errorf("%s: operation %d: found %s: the file is damaged; to do: copy or convert it "+
		"again", c.file.path, at, fault)
}

func (c *Cursor) shrunk() error {
	if now := c.file.Size(); now < int64(len(c.file.data)) {
		return fmt.Errorf("%s: from operation %d on: found %d bytes, at the beginning %d: %w",
			c.file.path, c.at, now, len(c.file.data), ErrShrunk)
	}
	return nil
}

// ErrShrunk is of a file that became shorter while it was read.
var ErrShrunk = errors.New("the file became shorter while it was read")

// Span returns the times of the first and the last operation of a range. The end 0 is the trace's.
// It fails for a range that is not within the trace.
func (f *File) Span(from, to uint64) (firstNs, lastNs int64, err error) {
	most := f.header.records
	if from >= most || to > most {
		return 0, 0, fmt.Errorf("%s: found the range %d-%d, allowed: within its %d operations",
			f.path, from, to, most)
	}
	if to == 0 {
		to = most
	}
	for at, ns := range map[uint64]*int64{from: &firstNs, to - 1: &lastNs} {
		var r Record
		c := f.Cursor(Cut{From: at, To: at + 1})
		if !c.Next(&r) {
			return 0, 0, c.Err()
		}
		*ns = r.AtNs
	}
	if from+1 == to {
		firstNs = lastNs
	}
	return firstNs, lastNs, nil
}
