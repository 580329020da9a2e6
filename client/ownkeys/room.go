package ownkeys

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dpukv/internal/numfmt"
	"dpukv/kvs"
)

const (
	// Fill is the share of the room that a load may use up.
	Fill = 0.9
	// boundFactor and boundBytes bound what an item costs any server.
	boundFactor = 4
	boundBytes  = 100
	// tableBytes is what the server's table of keys may take for each as it grows.
	tableBytes = 24
	// leastHeader and mostHeader bound what a server with classes of sizes adds to an item.
	leastHeader = 48
	mostHeader  = 64
	// mostSampled and leastSampled are keys of a sample.
	mostSampled  = 4096
	leastSampled = 100
)

// Need is the memory for those items of a load that are not there yet.
type Need struct {
	Items uint64  `json:"items"`
	Bytes float64 `json:"bytes"`
	// Bound is the part of Bytes that is an upper bound, as nothing was sampled.
	Bound float64 `json:"bound,omitempty"`
	// Sampled is the number of items that were stored for a moment. By them, Units are what each
	// part of the room must have.
	Sampled uint64             `json:"sampled,omitempty"`
	Units   map[string]float64 `json:"units,omitempty"`
}

// MostBytes bounds what an item of so many bytes costs a server.
func MostBytes(item int) int { return boundFactor * (item + boundBytes) }

// roomOf asks a server for its room.
func roomOf(remote kvs.Remote) (kvs.Room, error) {
	if r, ok := remote.(kvs.Roomy); ok {
		return r.Room()
	}
	return kvs.Room{Untold: []string{"its memory"}}, nil
}

// bound is what the missing ones of the keys that a look has seen need at most.
func bound(o *outcome) Need {
	if o.keys == 0 {
		return Need{}
	}
	missing := math.Ceil(float64(o.keys-o.matched) / float64(o.keys) * float64(o.names))
	each := boundFactor * (float64(o.bytes)/float64(o.keys) + boundBytes)
	return Need{Items: uint64(missing), Bytes: missing * each, Bound: missing * each}
}

// measure stores a sample of a set's keys for a moment, where surely there is room for it. It does
// so twice: the first time, the server may make buffers, too.
func measure(
	ctx context.Context, remote kvs.Remote, s *Set, n Need, done func(keys uint64),
) (Need, error) {
	room, err := roomOf(remote)
	if err != nil || n.Items == 0 || !room.Told() {
		return n, err
	}
	most := min(n.Items, mostSampled)
	if !room.Unbounded() {
		most = min(most, s.surely(&room, n.Bytes/float64(n.Items)))
	}
	if most < min(leastSampled, n.Items) {
		return n, nil
	}
	sampled, add := n, job{op: kvs.Add, most: most, done: done}
	for range 2 {
		if sampled, err = try(ctx, remote, s, add, n); err != nil {
			return n, err
		}
	}
	return sampled, nil
}

// surely returns how many items of a set have room, where each takes so many bytes at most.
func (s *Set) surely(room *kvs.Room, each float64) uint64 {
	if !room.Paged {
		return uint64(room.FreeBytes() / float64(len(room.Parts)) / each)
	}
	items := uint64(room.FreeBytes() / each)
	if s.Trace == "" && s.KeySizes == "" && s.ValueSizes == "" {
		plain := uint64(s.KeyBytes + s.ValueBytes)
		if class := room.ClassOf(plain+leastHeader, plain+mostHeader); class != "" {
			items = max(items, room.Parts[class].Free/2)
		}
	}
	return items
}

// try stores a sample, looks how the server's memory grows, and removes the sample.
func try(ctx context.Context, remote kvs.Remote, s *Set, j job, n Need) (Need, error) {
	before, err := roomOf(remote)
	if err != nil {
		return n, err
	}
	o, err := runSet(ctx, remote, s, j)
	after := before
	if err == nil {
		after, err = roomOf(remote)
	}
	own, cancel := WithGrace(ctx)
	defer cancel()
	_, removed := runSet(own, remote, s, job{
		op: kvs.Delete, only: append([]key{}, o.matches...), done: func(uint64) {},
	})
	return n.by(&before, &after, &o), errors.Join(err, removed)
}

// by returns the need as a sample tells it: never more than the bound, and the bound itself where
// others' changes of the memory hide the growth.
func (n Need) by(before, after *kvs.Room, sample *outcome) Need {
	grown, bytes := after.Grown(before), 0.0
	for name, units := range grown {
		bytes += float64(units) * after.Parts[name].UnitBytes
	}
	if sample.matched == 0 || bytes < float64(sample.bytes) {
		return n
	}
	scale := float64(n.Items) / float64(sample.matched)
	m := Need{Items: n.Items, Sampled: sample.matched, Units: map[string]float64{}}
	m.Bytes = min(bytes*scale, n.Bytes)
	table := 0.0
	if !after.Paged {
		table = tableBytes * float64(n.Items)
	}
	for name, units := range grown {
		m.Units[name] = float64(units)*m.Bytes/bytes + table/float64(len(grown))
	}
	m.Bytes += table
	return m
}

// add adds the need of another set.
func (n *Need) add(o Need) {
	n.Items += o.Items
	n.Bytes += o.Bytes
	n.Bound += o.Bound
	n.Sampled += o.Sampled
	if n.Units == nil {
		n.Units = map[string]float64{}
	}
	for name, units := range o.Units {
		n.Units[name] += units
	}
}

// lacks returns the bytes that are needed beyond a share of the room.
func (n *Need) lacks(room *kvs.Room, share float64) (bytes float64) {
	for name, p := range room.Parts {
		units := n.Units[name]
		if !room.Paged {
			units += n.Bound / float64(len(room.Parts))
		}
		if !p.Unbounded {
			bytes += max(units-share*float64(p.Free), 0) * p.UnitBytes
		}
	}
	if !room.Paged {
		return bytes
	}
	return max(bytes+n.Bound-share*float64(room.Pool), 0)
}

// room is the memory that the load's items could use, in bytes.
func (f *Found) room() float64 {
	if f.Need.Bound > 0 {
		return f.Room.FreeBytes()
	}
	return f.Room.FreeBytes(slices.AppendSeq([]string{""}, maps.Keys(f.Need.Units))...)
}

// Fits says what the load needs, and what is there.
func (f *Found) Fits() string {
	if f.Need.Items == 0 {
		return "its keys are there already, and need no more memory"
	}
	needs := "it needs at most "
	if f.Need.Bound == 0 {
		needs = fmt.Sprintf("by %d of its keys it needs about ", f.Need.Sampled)
	}
	needs += megabytes(f.Need.Bytes)
	switch {
	case !f.Room.Told():
		return needs + ", and the server does not tell its room"
	case f.Room.Unbounded():
		return needs + ", and the server has no limit of its memory, so it evicts nothing; what " +
			"its machine has is not known here"
	}
	return needs + ", and the server has room for " + megabytes(f.room())
}

func megabytes(bytes float64) string { return fmt.Sprintf("%.3g MB", bytes/1e6) }

// harm says what the load may do to items of others, and to their owner; "": nothing.
func (f *Found) harm() string {
	if len(f.Room.Untold) > 0 && (f.Untold || f.Keys > 0 || f.Own > 0) {
		return fmt.Sprintf("found a server that does not tell %s, so that nobody sees whether it "+
			"evicts items of others, allowed: one that tells it; load another server",
			strings.Join(f.Room.Untold, ", "))
	}
	if !f.Room.Told() || f.Need.lacks(&f.Room, Fill) == 0 {
		return ""
	}
	return fmt.Sprintf("%s, of which a load may use %.0f %%: %s; ask for fewer or smaller keys, "+
		"give the server more memory", f.Fits(), 100*Fill, f.loses())
}

// Expects says what the load needs, what is there, and what may happen to items of others.
func (f *Found) Expects() string {
	if what := f.harm(); what != "" {
		return what
	}
	return f.Fits()
}

// loses says what happens to others once the server is full.
func (f *Found) loses() string {
	lacks := f.Need.lacks(&f.Room, 1)
	switch {
	case lacks == 0:
		return "hardly any is left for others"
	case !f.Room.Evicts:
		return "it would be full, and refuse the writes of others"
	}
	n := f.expected(lacks)
	if f.others() == 0 {
		return "it would evict items of this load, or refuse the writes of others"
	}
	return fmt.Sprintf("it would evict about %s of %s that are there",
		numfmt.Grouped(n), numfmt.Count(f.others(), "item"))
}

// others is the number of items of others that the server may evict.
func (f *Found) others() uint64 { return max(f.Room.Evictable, f.Own) - f.Own }

// expected is the number of items of others that make room for so many bytes.
func (f *Found) expected(lacks float64) uint64 {
	others := float64(f.others())
	if f.Room.Paged && f.Need.Bound == 0 { // only items of the same classes go
		same := 0.0
		for name := range f.Need.Units {
			same += float64(f.Room.Parts[name].Used)
		}
		others = min(others, same)
	}
	if used := f.Room.UsedBytes(); used > 0 && f.Room.Evictable > 0 {
		others = min(others, math.Ceil(lacks*float64(f.Room.Evictable)/used))
	}
	return uint64(others)
}
