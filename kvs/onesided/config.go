package onesided

import (
	"cmp"
	"fmt"

	"dpukv/internal/offheap"
	"dpukv/kvs"
	"dpukv/kvs/herd"
	"dpukv/kvs/partition"
)

const (
	// DefaultNeighbourhood has the fewest messages for the bytes of a READ: see doc.go.
	DefaultNeighbourhood = 8

	// loadPercent is the share of the places that all items take.
	loadPercent = 60
)

// shapeOf sizes the tables for a server's items.
func shapeOf(c *kvs.ServerConfig) shape {
	items := partition.MostOf(c.Items, c.Workers)
	s := shape{
		Slots:         items*100/loadPercent + 1,
		Neighbourhood: cmp.Or(c.Neighbourhood, DefaultNeighbourhood),
		MaxValue:      largestValue(c),
	}
	if pointers(c) || s.MaxValue > InlineBytes {
		const spareOneIn = 8 // while a value is replaced, both have a block
		size := s.MaxValue
		if c.FixedSizes {
			size = c.ValueBytes + lineBytes - 1
		}
		lines := max(1, (size+lineBytes-1)/lineBytes)
		s.ValueBytes = (items + items/spareOneIn + 1) * lines * lineBytes
	}
	return s
}

func largestValue(c *kvs.ServerConfig) int { return max(c.ValueBytes, c.MaxValueBytes) }

// pointers reports whether no item holds its value.
func pointers(c *kvs.ServerConfig) bool { return c.Inline == kvs.InlineNo }

// partitionItems is the number of items that the partitions have room for: all, if keys may be too
// long for a place. Else it is far more than find no place at that load.
func partitionItems(c *kvs.ServerConfig, s *shape) int {
	if c.LongestKey() > KeyBytes {
		return c.Items
	}
	return c.Items/s.Neighbourhood + 1
}

// check refuses what this store does not have.
func check(c *kvs.ServerConfig) error {
	switch {
	case c.MemoryBytes != 0:
		return fmt.Errorf("memory: found %d bytes, allowed with onesided: room for all items; no "+
			"item leaves its place for another", c.MemoryBytes)
	case c.Items < 1 || c.Workers < 1:
		return fmt.Errorf("items: found %d of %d workers, allowed: one or more of each", c.Items,
			c.Workers)
	}
	return c.CheckSetup()
}

// Start starts a server with room for the configured items.
func Start(c *kvs.ServerConfig) (*herd.Server, error) {
	if err := check(c); err != nil {
		return nil, err
	}
	mode, err := partition.ParseMode(c.Mode)
	if err != nil {
		return nil, err
	}
	m := newMemory(c)
	few := *c
	few.Items, few.MaxValueBytes = partitionItems(c, &m.shape), largestValue(c)
	return herd.Start(herd.Config{
		Listen: c.Listen, Workers: c.Workers, Mode: mode,
		Device: c.Device.Name, DeviceOptions: &c.Device.Options,
		Items: few.Items, LogBytes: partition.LogBytesOf(&few, mode), Pages: offheap.Auto,
		Hash: c.Hash, CPUs: c.CPUs, Version: c.Version,
		SlotBytes: herd.SlotBytesFor(max(c.LongestKey(), KeyBytes), largestValue(c)),
		Extension: m,
	})
}
