package partition

// Stats is what one core has counted in the partitions that it owns, and of its Gets anywhere.
type Stats struct {
	Items      uint64 // live now
	LiveBytes  uint64 // of the log, by live items
	Evicted    uint64 // lost to make room (cache)
	Full       uint64 // writes refused for want of room (store)
	Gets, Hits uint64
}

// Stats counts. Only the core's own goroutine may ask.
func (c *Core) Stats() Stats {
	s := Stats{Gets: c.gets, Hits: c.hits}
	for i := range c.table.partitions {
		if p := &c.table.partitions[i]; p.owner == c.number {
			s.Items += p.items
			s.LiveBytes += p.liveBytes
			s.Evicted += p.evicted
			s.Full += p.full
		}
	}
	return s
}
