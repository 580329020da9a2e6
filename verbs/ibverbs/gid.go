package ibverbs

import (
	"fmt"
	"net/netip"
	"strings"

	"dpukv/verbs"
)

// gidType is the type of a GID. The numbers are libibverbs's.
type gidType uint32

const (
	gidIB gidType = iota
	gidRoCEv1
	gidRoCEv2
)

func (t gidType) String() string {
	return [...]string{"IB", "RoCE v1", "RoCE v2", "unknown"}[min(t, 3)]
}

// gidEntry is a row of a port's GID table. Rows may be missing.
type gidEntry struct {
	index int
	kind  gidType
	gid   verbs.GID
}

// chooseGID looks up an index in the table, or chooses one for [AutoGID]. On RoCE, the chosen one
// has the address, if there is one: packets of another would take another way.
func chooseGID(
	table []gidEntry, link verbs.LinkLayer, index int, address netip.Addr,
) (gidEntry, error) {
	if link == verbs.LinkInfiniBand {
		address = netip.Addr{}
	}
	for _, wanted := range preference(link, index, address) {
		for _, e := range table {
			if wanted(e) {
				return e, nil
			}
		}
	}
	switch {
	case index == AutoGID && address.IsValid():
		return gidEntry{}, fmt.Errorf("found no RoCE v2 GID of the node's address %s among %s, "+
			"allowed: one, or the packets take another way; to do: name the RDMA device of the "+
			"interface with that address (rdma link), or the GID: rdma: {gid_index: N}", address,
			list(table))
	case index == AutoGID:
		return gidEntry{}, fmt.Errorf("no RoCE v2 GID among %s: give the network device an IP "+
			"address and set it up", list(table))
	}
	return gidEntry{}, fmt.Errorf("GID index %d: want one of %s", index, list(table))
}

// preference returns the wanted kinds of rows, best first.
func preference(
	link verbs.LinkLayer, index int, address netip.Addr,
) []func(gidEntry) bool {
	switch {
	case index != AutoGID:
		// No peer here understands packets of a RoCE v1 GID.
		return []func(gidEntry) bool{
			func(e gidEntry) bool { return e.index == index && e.kind != gidRoCEv1 },
		}
	case link == verbs.LinkInfiniBand:
		return []func(gidEntry) bool{func(gidEntry) bool { return true }}
	}
	v2 := func(e gidEntry) bool { return e.kind == gidRoCEv2 }
	if address.IsValid() {
		return []func(gidEntry) bool{
			func(e gidEntry) bool { return v2(e) && e.gid.Addr() == address },
		}
	}
	return []func(gidEntry) bool{
		func(e gidEntry) bool { return v2(e) && e.gid.Addr().Is4() },
		// A link-local address reaches only its own link.
		func(e gidEntry) bool { return v2(e) && !e.gid.Addr().IsLinkLocalUnicast() },
		v2,
	}
}

func list(table []gidEntry) string {
	if len(table) == 0 {
		return "an empty table"
	}
	rows := make([]string, len(table))
	for i, e := range table {
		rows[i] = fmt.Sprintf("%d (%s, %s)", e.index, e.gid.Addr(), e.kind)
	}
	return strings.Join(rows, ", ")
}
