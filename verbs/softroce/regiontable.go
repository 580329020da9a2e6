package softroce

import "dpukv/verbs"

// regionTable finds regions by their keys.
type regionTable struct{ table[region] }

const (
	keyBits = 32
	// maxRegions is far more than mappings, of which Linux allows a process 65,530.
	maxRegions = 1 << 20
)

func newRegionTable() regionTable {
	return regionTable{newTable[region]("memory region", keyBits, maxRegions)}
}

// reach returns the region with a key and the offset of addr in it, when n bytes from there lie in it
// and the access is allowed; otherwise why not.
func (t *regionTable) reach(p *pd, key uint32, addr uint64, n int, access verbs.Access) (*region, int, counter) {
	m := t.find(key)
	if m == nil || m.pd != p {
		return nil, 0, badRKey
	}
	at := addr - m.addr // huge when addr lies below
	if at > uint64(len(m.bytes)) || uint64(n) > uint64(len(m.bytes))-at {
		return nil, 0, outOfRegion
	}
	if m.access&access != access {
		return nil, 0, noRemoteAccess
	}
	return m, int(at), noDrop
}
