package node

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"dpukv/kvs"
	"dpukv/verbs"
)

// maxAddrBytes is more than a host's name has, with a port or a path.
const maxAddrBytes = 1 << 10

// Check refuses what no server says. The facts go into points and error messages, and the address
// to the clients.
func (r *Ready) Check() error {
	return cmp.Or(checkAddr(r.Addr), r.Facts.CheckPart())
}

// Check refuses what no server of a probe says.
func (r *ProbeReady) Check() error {
	texts := slices.AppendSeq(slices.Collect(maps.Keys(r.Facts)), maps.Values(r.Facts))
	return cmp.Or(checkAddr(r.Addr), kvs.CheckTexts(texts))
}

func checkAddr(addr string) error {
	if len(addr) > maxAddrBytes || verbs.Printable(addr) != addr {
		return fmt.Errorf("ready: found an address of %d bytes, %.40q, allowed: at most %d, "+
			"printable", len(addr), addr, maxAddrBytes)
	}
	return nil
}
