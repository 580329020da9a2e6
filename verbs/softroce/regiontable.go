package softroce

import (
	"fmt"

	"dpukv/verbs"
)

// regionTable finds a region by its key: index in the high 24 bits, and in the low 8 a number that changes each
// time the index is used again, so that an old key finds nothing.
type regionTable struct {
	entries []*region
	uses    []uint8
}

func (t *regionTable) add(m *region) error {
	i := 0
	for i < len(t.entries) && t.entries[i] != nil {
		i++
	}
	if i == 1<<24-1 {
		return fmt.Errorf("memory region: %d are there already", i)
	}
	if i == len(t.entries) {
		t.entries, t.uses = append(t.entries, nil), append(t.uses, 0)
	}
	t.uses[i]++
	// From 1 up: no region has key 0, which is what a request has that was given none.
	m.key = uint32(i+1)<<8 | uint32(t.uses[i])
	t.entries[i] = m
	return nil
}

func (t *regionTable) remove(m *region) bool {
	i := int(m.key>>8) - 1
	if i < 0 || i >= len(t.entries) || t.entries[i] != m {
		return false
	}
	t.entries[i] = nil
	return true
}

// find returns the region with a key and the offset of addr in it, when n bytes from there lie in it and the
// access is allowed; otherwise why not.
func (t *regionTable) find(p *pd, key uint32, addr uint64, n int, access verbs.Access) (*region, int, counter) {
	i := int(key>>8) - 1
	if i < 0 || i >= len(t.entries) || t.entries[i] == nil || t.entries[i].key != key || t.entries[i].pd != p {
		return nil, 0, badRKey
	}
	m := t.entries[i]
	at := addr - m.addr // huge when addr lies below
	if at > uint64(len(m.bytes)) || uint64(n) > uint64(len(m.bytes))-at {
		return nil, 0, outOfRegion
	}
	if m.access&access != access {
		return nil, 0, noRemoteAccess
	}
	return m, int(at), noDrop
}
