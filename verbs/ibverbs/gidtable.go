package ibverbs

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"dpukv/verbs"
)

// readGIDs reads the table of a port from its folder in sysfs: Documentation/ABI/stable/
// sysfs-class-infiniband of the kernel. libibverbs reads it there, too. Its own function for the
// table is missing before version 1.11 of its symbols, so in Ubuntu 20.04.
func readGIDs(port string, rows int, link verbs.LinkLayer) (table []gidEntry) {
	for i := range rows {
		addr, err := netip.ParseAddr(attribute(port, "gids", i))
		if err != nil || addr == netip.IPv6Unspecified() {
			continue // an unused row
		}
		kind, ok := gidTypes[attribute(port, "gid_attrs/types", i)]
		if !ok && link == verbs.LinkEthernet {
			continue // removed meanwhile
		}
		if link == verbs.LinkInfiniBand {
			kind = gidIB
		}
		table = append(table, gidEntry{i, kind, addr.As16()})
	}
	return table
}

// gidTypes are the kernel's words for types on Ethernet. Both kinds of links share the first one.
var gidTypes = map[string]gidType{"IB/RoCE v1": gidRoCEv1, "RoCE v2": gidRoCEv2}

// attribute is the text of a row, or "" for a row that the kernel does not read out.
func attribute(port, folder string, row int) string {
	text, _ := os.ReadFile(filepath.Join(port, folder, fmt.Sprint(row)))
	return strings.TrimSpace(string(text))
}
